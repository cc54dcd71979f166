import { createHash } from 'node:crypto';
import { newer, older, publication, rich } from '../../rich-catalog.ts';
import { provenance, skillDescription, skillFile, skillMetadata } from '../files/texts.ts';
import { base } from '../known.ts';
import { type Asked, richInFull } from './asked.ts';

const { title: name } = publication;
const json = 'application/json';

const named = [newer, rich, older].map(({ slug, title, excerpt: description }) => ({ name: slug, title, description }));
const completion = (values: string[]) => ({ completion: { values, total: values.length, hasMore: false } });
const complete = (uri: string, argument: string, value: string, values: string[]): Asked => ({
  method: 'completion/complete',
  params: { ref: { type: 'ref/resource', uri }, argument: { name: argument, value } },
  result: completion(values),
});
const prompt = (own: string): object => ({
  description: rich.excerpt,
  messages: [{ role: 'user', content: { type: 'text', text: `${provenance}\n\n${own}` } }],
});
const read = (uri: string, of: Pick<Asked, 'document' | 'file'>, mimeType = json): Asked => ({
  method: 'resources/read',
  params: { uri },
  result: { contents: [{ uri, mimeType }] },
  ...of,
});

/** The front matter of the skill, as its file has it. */
const skillFront = {
  ...{ name: 'rich', description: skillDescription, license: 'CC-BY-4.0' },
  metadata: skillMetadata,
};

const skill = {
  uri: 'skill://rich/SKILL.md',
  frontmatter: skillFront,
  resources: [
    {
      uri: 'skill://rich/SKILL.md',
      digest: `sha256:${createHash('sha256').update(skillFile).digest('hex')}`,
      size: Buffer.byteLength(skillFile),
    },
  ],
};

const rows = { name: 'ROWS', description: 'one article a line' };
const rest = { name: 'input', description: 'Anything else' };
const promptArguments: Record<string, object[]> = {
  newer: [rows, { name: 'NOTES', description: 'Optional: mails about the stock' }, rest],
  rich: [{ name: 'input', description: 'The input' }],
  older: [rows, { name: 'NOTES', description: 'Optional: Rows <i>&amp;</i> "quoted"' }, rest],
};

/** The requests for prompts, resources, completions and skills. */
export const documentRows: Record<string, Asked> = {
  'prompts/list': {
    method: 'prompts/list',
    result: {
      prompts: named.map(({ title: _, ...one }) => ({ ...one, arguments: promptArguments[one.name] })),
    },
  },
  'prompts/get': { method: 'prompts/get', params: { name: 'rich' }, result: prompt(rich.prompt) },
  'prompts/get with an input': {
    method: 'prompts/get',
    params: { name: 'formerly-rich', arguments: { input: 'Given </input> &amp;\n' } },
    result: prompt(rich.prompt.replace('\n\nRULES', '\n\n<input-2>\nGiven </input> &amp;\n</input-2>\n\nRULES')),
  },
  'resources/list': {
    method: 'resources/list',
    result: {
      resources: [
        {
          uri: 'agent://catalog',
          name: 'catalog',
          title: `The catalog of ${name}`,
          description: 'All agents (3), newest first, without their prompts',
          mimeType: json,
        },
        ...named.map((one) => ({ uri: `agent://${one.name}`, ...one, mimeType: json })),
      ],
    },
  },
  'resources/templates/list': {
    method: 'resources/templates/list',
    result: {
      resourceTemplates: [
        {
          ...{ uriTemplate: 'agent://{slug}', name: 'agent', title: 'One agent' },
          ...{ description: 'An agent with its prompt and config, by its slug', mimeType: json },
        },
        {
          ...{ uriTemplate: 'agent://catalog{?category,tag}', name: 'catalog-part', title: 'Part of the catalog' },
          ...{ description: 'The agents of a category, with a tag, or both', mimeType: json },
        },
      ],
    },
  },
  'resources/read of the catalog': read('agent://catalog', { file: 'api/agents.json' }),
  'resources/read of an agent': read('agent://rich', { file: 'api/agents/rich.json' }),
  'resources/read by a former slug': read('agent://formerly-rich', { file: 'api/agents/rich.json' }),
  'resources/read of part of the catalog': read('agent://catalog?category=coding&tag=tag-two', {
    document: { version: '1.1.0', schema: `${base}/api/schema.json`, count: 1, agents: [richInFull] },
  }),
  'resources/read of a skill': read(
    'skill://rich/SKILL.md',
    { file: '.well-known/agent-skills/rich/SKILL.md' },
    'text/markdown',
  ),
  'completion of slugs': complete('agent://{slug}', 'slug', 'R', ['rich', 'newer', 'older']),
  'completion of categories': complete('agent://catalog{?category,tag}', 'category', '', ['coding', 'writing']),
  'completion of tags': complete('agent://catalog{?category,tag}', 'tag', 'tag', [
    ...['tag-one', 'tag-two', 'other-tag'],
  ]),
  'completion of the input of a prompt': {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'rich' }, argument: { name: 'input', value: '' } },
    result: completion([]),
  },
  'skills/list': {
    method: 'skills/list',
    places: {
      'skills.*.uri': ['newer', 'rich', 'older'].map((slug) => `skill://${slug}/SKILL.md`),
      'skills.1.frontmatter.description': skillDescription,
      'skills.1': JSON.stringify(skill),
    },
  },
  'skills/get': { method: 'skills/get', params: { uri: 'skill://rich/SKILL.md' }, result: { skill } },
};
