import { provenance } from '../agent-text/agent-sections.ts';
import { shortened } from '../agent-text/markdown-text.ts';
import { fillIn, inputsOf, reservedName } from '../agent-text/prompt-text.ts';
import type { AgentSummary } from '../schema/documents.ts';
import type { McpCatalog } from './catalog.ts';
import { codes, RpcError } from './errors.ts';
import { nearestSlugs } from './find.ts';
import { listPage } from './pages.ts';

/** prompts/list: all agents, which assistants show as slash commands. */
export async function listPrompts({ cursor }: { cursor?: string | undefined }, catalog: McpCatalog): Promise<object> {
  const { items, nextCursor } = listPage(catalog.agents, cursor);
  return { prompts: await Promise.all(items.map((agent) => listedPrompt(agent, catalog))), nextCursor };
}

/**
 * The arguments of a prompt are the inputs that it declares, and one for everything else. None is declared as required,
 * because getPrompt takes a prompt without any of them. Clients load the whole list, so it has no icon, no title beside
 * the slug, and only the start of each hint.
 */
async function listedPrompt({ slug, excerpt }: AgentSummary, catalog: McpCatalog): Promise<object> {
  const inputs = inputsOf((await catalog.prompt(slug)) ?? '');
  return {
    name: slug,
    description: excerpt,
    arguments: [
      ...inputs.map(({ name, hint, required }) => ({
        name,
        description: `${required ? '' : 'Optional: '}${shortHint(hint)}`,
      })),
      { name: reservedName, description: inputs.length === 0 ? 'The input' : 'Anything else' },
    ],
  };
}

/** The words of a hint up to its first punctuation mark, which say what to paste; the rest is for the assistant. */
function shortHint(hint: string): string {
  return shortened(hint.split(/[.,;:](?=\s|$)|[。、，；：]/u)[0] ?? hint, 30);
}

export interface GetPromptParams {
  name: string;
  arguments?: Readonly<Record<string, string>> | undefined;
}

/**
 * prompts/get: the prompt of an agent after its provenance, with the reader's input filled in. Every argument may be
 * missing, since the prompt itself says what to do then. Throws RpcError -32602 if the prompt or an argument is unknown.
 */
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
  const declared = inputsOf(agent.prompt).map((input) => input.name);
  const texts = new Map(Object.entries(given));
  if ([...texts.keys()].some((key) => key !== reservedName && !declared.includes(key))) {
    const known = [...declared, reservedName].map((key) => `\`${key}\``).join(', ');
    throw new RpcError(codes.invalidParams, `The arguments of this prompt are: ${known}.`);
  }
  const own = declared.map((name) => ({ name, text: texts.get(name) ?? '' }));
  const filled = fillIn(agent.prompt, [...own, { text: texts.get(reservedName) ?? '' }]);
  return {
    description: agent.excerpt,
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `${provenance(agent, catalog.reviewedOn(agent))}\n\n${filled}` },
      },
    ],
  };
}
