import { type AgentSummary, type Catalog, contractVersion, toJson } from '../schema/documents.ts';
import type { McpCatalog } from './catalog.ts';
import { codes, RpcError } from './errors.ts';
import { fits } from './find.ts';
import { listPage } from './pages.ts';
import { skillSlug } from './skills.ts';

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
