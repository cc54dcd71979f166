import { createHash } from 'node:crypto';
import { CORE_SCHEMA, load } from 'js-yaml';
import type { McpCatalog } from './catalog.ts';
import { codes, RpcError } from './errors.ts';
import { listPage } from './pages.ts';

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
