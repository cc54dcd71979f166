import { fillIn } from '../agent-text/fill-in.ts';
import { provenance } from '../agent-text/provenance.ts';
import type { McpCatalog } from './catalog.ts';
import { codes, RpcError } from './errors.ts';
import { nearestSlugs } from './find.ts';
import { listPage } from './pages.ts';

/** prompts/list: all agents, which assistants show as slash commands. */
export function listPrompts({ cursor }: { cursor?: string | undefined }, { agents }: McpCatalog): object {
  const { items, nextCursor } = listPage(agents, cursor);
  return {
    prompts: items.map(({ slug, title, excerpt }) => ({
      name: slug,
      title,
      description: excerpt,
      arguments: [{ name: 'input', description: 'The input for the agent. Leave it out to provide it later.' }],
    })),
    nextCursor,
  };
}

export interface GetPromptParams {
  name: string;
  arguments?: { input?: string | undefined } | undefined;
}

/** prompts/get: the prompt of an agent after its provenance, with the reader's input filled in. Throws RpcError -32602 if it is unknown. */
export async function getPrompt(
  { name, arguments: given = {} }: GetPromptParams,
  catalog: McpCatalog,
): Promise<object> {
  const slug = catalog.slugOf(name);
  const envelope = slug === undefined ? null : await catalog.envelope(slug);
  if (envelope === null) {
    const nearest = nearestSlugs(catalog, name);
    throw new RpcError(
      codes.invalidParams,
      `There is no such prompt; prompts/list lists them all.${nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`}`,
    );
  }
  const { agent } = envelope.document;
  const text = `${provenance({ ...agent, date: catalog.reviewedOn(agent) })}\n\n${fillIn(agent.prompt, given.input ?? '')}`;
  return {
    description: agent.excerpt,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}
