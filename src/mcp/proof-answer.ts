import type { z } from 'zod';
import { listItem, plainText } from '../agent-text/markdown-text.ts';
import { type AgentEvals, agentEvalsPath } from '../schema/graded.ts';
import type { getAgentOutput } from '../schema/mcp.ts';
import type { McpCatalog } from './catalog.ts';

/** How the recorded answers of an agent did. */
export type ProofAnswer = NonNullable<z.infer<typeof getAgentOutput>['proof']>;

/** Reduces recorded answers to their grades; null if there are none. Only the document has the answers in full. */
export function proofAnswer({ card }: Pick<McpCatalog, 'card'>, evals: AgentEvals | null): ProofAnswer | null {
  if (evals === null) return null;
  return {
    document: `${card.websiteUrl}/${agentEvalsPath.replace('{slug}', evals.slug)}`,
    answers: evals.answers.map(({ case: name, recorded, stale, results }) => ({
      model: recorded.model,
      case: name,
      date: recorded.date,
      checks: results.length,
      failures: results.flatMap(({ kind, failure }) => (failure === null ? [] : [`${kind}: ${failure}`])),
      outOfDate: stale !== null,
    })),
  };
}

/** The same as Markdown: an entry for each answer. */
export function proofMarkdown(proof: ProofAnswer | null): string[] {
  if (proof === null) return [];
  const lines = proof.answers.map(({ model, case: name, date, checks, failures, outOfDate }) => {
    const failed = failures.length === 0 ? '' : ` Failed: ${failures.join(' ')}`;
    const score = `${checks - failures.length} of ${checks} checks passed${outOfDate ? ', out of date' : ''}.`;
    return listItem('-', plainText(`${model}, ${name}, ${date}: ${score}${failed}`));
  });
  return ['## Proof', `Recorded answers of models, in full at ${proof.document}`, lines.join('\n')];
}
