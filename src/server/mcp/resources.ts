import { createHash } from 'node:crypto';
import { CORE_SCHEMA, load } from 'js-yaml';
import { type AgentSummary, type Catalog, contractVersion, toJson } from '../../schema/documents.ts';
import { provenance } from '../../text/agent-sections.ts';
import { shortened } from '../../text/markdown-text.ts';
import { fillIn, inputsOf, reservedName } from '../../text/prompt-text.ts';
import { fits, listPage, type McpCatalog, nearestSlugs } from './catalog.ts';
import { codes, RpcError } from './messages.ts';

/** The extension for Agent Skills (SEP-2640), based on revision 2026-07-28. */
export const skillsExtension = 'io.modelcontextprotocol/skills';

/** skills/list: all agents as skills, with the files of the site. */
export async function listSkills({ cursor }: { cursor?: string | undefined }, catalog: McpCatalog): Promise<object> {
  const { items, nextCursor } = listPage(catalog.agents, cursor);
  const skills = await Promise.all(items.map(({ slug }) => skillOf(slug, catalog)));
  return {
    skills: skills.filter((skill) => skill !== null),
    nextCursor,
  };
}

/** skills/get. Throws RpcError -32602 with the URI for an unknown skill. */
export async function getSkill({ uri }: { uri: string }, catalog: McpCatalog): Promise<object> {
  const slug = skillSlug(uri, catalog);
  const skill = slug === undefined ? null : await skillOf(slug, catalog);
  if (skill === null)
    throw new RpcError(codes.invalidParams, 'There is no such skill; skills/list lists them all.', {
      uri: uri.slice(0, 500),
    });
  return { skill };
}

/** The slug in the URI of a SKILL.md; undefined if no agent has it. Former slugs do not count. */
export function skillSlug(uri: string, { bySlug }: McpCatalog): string | undefined {
  const slug = /^skill:\/\/([a-z0-9-]+)\/SKILL\.md$/.exec(uri)?.[1];
  return slug !== undefined && bySlug.has(slug) ? slug : undefined;
}

async function skillOf(slug: string, catalog: McpCatalog): Promise<object | null> {
  const bytes = await catalog.skill(slug);
  if (bytes === null) return null;
  const uri = `skill://${slug}/SKILL.md`;
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const frontMatter = /^---\n(.*?)\n---\n/s.exec(bytes.toString('utf8'))?.[1] ?? '';
  return {
    uri,
    frontmatter: load(frontMatter, { schema: CORE_SCHEMA }),
    resources: [{ uri, digest, size: bytes.length }],
  };
}

const json = 'application/json';

/** The templates of resources; completion.ts completes the names in braces. */
export const agentTemplate = 'agent://{slug}';
export const catalogTemplate = 'agent://catalog{?category,tag}';

/** resources/list: the catalog, then all agents. */
export function listResources({ cursor }: { cursor?: string | undefined }, { agents, card }: McpCatalog): object {
  const { items, nextCursor } = listPage(agents, cursor);
  const whole = {
    uri: 'agent://catalog',
    name: 'catalog',
    title: `The catalog of ${card.title}`,
    description: `All agents (${agents.length}), newest first, without their prompts`,
    mimeType: json,
  };
  return {
    resources: [...(cursor === undefined ? [whole] : []), ...items.map(resourceOf)],
    nextCursor,
  };
}

function resourceOf({ slug, title, excerpt }: AgentSummary) {
  return { uri: `agent://${slug}`, name: slug, title, description: excerpt, mimeType: json };
}

/** resources/templates/list */
export function listTemplates(): object {
  return {
    resourceTemplates: [
      {
        uriTemplate: agentTemplate,
        name: 'agent',
        title: 'One agent',
        description: 'An agent with its prompt and config, by its slug',
        mimeType: json,
      },
      {
        uriTemplate: catalogTemplate,
        name: 'catalog-part',
        title: 'Part of the catalog',
        description: 'The agents of a category, with a tag, or both',
        mimeType: json,
      },
    ],
  };
}

/** resources/read. Throws RpcError -32602 with the URI for an unknown resource. */
export async function readResource({ uri }: { uri: string }, catalog: McpCatalog): Promise<object> {
  const content = await contentOf(uri, catalog);
  if (content === null)
    throw new RpcError(codes.invalidParams, 'There is no such resource; resources/list lists them all.', {
      uri: uri.slice(0, 500),
    });
  return { contents: [{ uri, ...content }] };
}

async function contentOf(uri: string, catalog: McpCatalog): Promise<{ mimeType: string; text: string } | null> {
  const asJson = (text: string | null | undefined) => (text == null ? null : { mimeType: json, text });
  if (uri === 'agent://catalog') return asJson(await catalog.catalogJson());
  const query = /^agent:\/\/catalog\?(.*)$/s.exec(uri)?.[1];
  if (query !== undefined) return asJson(catalogPart(new URLSearchParams(query), catalog));
  const slug = catalog.slugOf(/^agent:\/\/([a-z0-9-]+)$/.exec(uri)?.[1] ?? '');
  if (slug !== undefined) return asJson((await catalog.envelope(slug))?.text);
  const ofSkill = skillSlug(uri, catalog);
  const skill = ofSkill === undefined ? null : await catalog.skill(ofSkill);
  return skill === null ? null : { mimeType: 'text/markdown', text: skill.toString('utf8') };
}

/** The catalog with only the agents of a category, with a tag, or both; null for other parameters. */
function catalogPart(query: URLSearchParams, { agents, schema }: McpCatalog): string | null {
  const { category, tag, ...others } = Object.fromEntries(query);
  if (Object.keys(others).length > 0) return null;
  const listed = agents.filter(fits({ category, tag }));
  return toJson({ version: contractVersion, schema, count: listed.length, agents: listed } satisfies Catalog);
}

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
