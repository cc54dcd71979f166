import type { Asked } from './asked.ts';

/** What the MCP server answers over the large catalog of 205 agents, whose lists go on on a second page. */

const slugs = (first: number, last: number) =>
  Array.from({ length: first - last + 1 }, (_, index) => `agent-${first - index}`);
// `before 6`: agent-5 and the ones before it follow.
const cursor = 'YmVmb3JlIDY';

export const largeMcpRows: Record<string, Asked> = {
  'resources/list, its first page': {
    method: 'resources/list',
    places: { 'resources.*.name': ['catalog', ...slugs(205, 6)], nextCursor: cursor },
  },
  'resources/list, its last page': {
    method: 'resources/list',
    params: { cursor },
    places: { 'resources.*.name': slugs(5, 1), nextCursor: [] },
  },
  'prompts/list, its first page': {
    method: 'prompts/list',
    places: { 'prompts.*.name': slugs(205, 6), nextCursor: cursor },
  },
  'prompts/list, its last page': {
    method: 'prompts/list',
    params: { cursor },
    places: { 'prompts.*.name': slugs(5, 1), nextCursor: [] },
  },
  'skills/list, its first page': {
    method: 'skills/list',
    places: { 'skills.*.frontmatter.name': slugs(205, 6), nextCursor: cursor },
  },
  'skills/list, its last page': {
    method: 'skills/list',
    params: { cursor },
    places: { 'skills.*.frontmatter.name': slugs(5, 1), nextCursor: [] },
  },
  'list_agents, the last page of a size that fits exactly': {
    method: 'tools/call',
    params: { name: 'list_agents', arguments: { cursor, limit: 5 } },
    places: {
      'structuredContent.agents.*.slug': slugs(5, 1),
      'structuredContent.total': '205',
      'structuredContent.nextCursor': [],
    },
  },
  'search_agents, no more than asked for': {
    method: 'tools/call',
    params: { name: 'search_agents', arguments: { query: 'older', limit: 2 } },
    places: {
      'structuredContent.agents.*.slug': ['agent-205', 'agent-204'],
      'structuredContent.total': '205',
    },
  },
  'completion, the first 100 of more': {
    method: 'completion/complete',
    params: { ref: { type: 'ref/resource', uri: 'agent://{slug}' }, argument: { name: 'slug', value: 'agent-' } },
    result: { completion: { values: slugs(205, 106), total: 205, hasMore: true } },
  },
};
