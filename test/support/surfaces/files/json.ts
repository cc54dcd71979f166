import { createHash } from 'node:crypto';
import { publication, rich } from '../../rich-catalog.ts';
import { richEvals } from '../../rich-evals.ts';
import { address, base, coding } from '../known.ts';
import type { Expected } from '../reader.ts';
import { skillDescription } from './texts.ts';

const { title: name, tagline, description, publisher, feedId } = publication;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const json = (value: unknown) => JSON.stringify(value);
const summaryKeys: Expected = {
  title: rich.title,
  slug: 'rich',
  date: '2026-02-28',
  issue: '2',
  category: 'coding',
  categoryLabel: coding,
  tags: json(rich.tags),
  difficulty: rich.difficulty,
  runtimes: json(rich.runtimes),
  excerpt: rich.excerpt,
  url: address,
  apiUrl: `${base}/api/agents/rich.json`,
  promptUrl: `${address}/prompt.txt`,
};
const under = (prefix: string, expected: Expected): Expected =>
  Object.fromEntries(Object.entries(expected).map(([place, value]) => [`${prefix}.${place}`, value]));

/** Files that are JSON. */
export const jsonFiles: Record<string, Expected> = {
  'api/agents/rich.json': {
    version: '1.1.0',
    schema: `${base}/api/schema.json`,
    ...under('agent', summaryKeys),
    'agent.problem': rich.problem,
    'agent.videoUrl': rich.videoUrl,
    'agent.configUrl': `${address}/config.json`,
    'agent.configFilename': rich.configFilename,
    'agent.license': 'CC-BY-4.0',
    'agent.howItWorks': rich.howItWorks,
    'agent.steps': json(rich.steps),
    'agent.demo': json(rich.demo),
    'agent.sampleInput': rich.sampleInput,
    'agent.prompt': rich.prompt,
    'agent.config': json(JSON.parse(rich.config)),
  },
  'api/agents/older.json': {
    'agent.videoUrl': 'null',
    'agent.configUrl': 'null',
    'agent.configFilename': 'null',
    'agent.config': 'null',
  },
  'api/agents.json': {
    version: '1.1.0',
    schema: `${base}/api/schema.json`,
    count: '3',
    'agents.*.slug': ['newer', 'rich', 'older'],
    ...under('agents.1', summaryKeys),
  },
  'api/evals.json': {
    'agents.*.slug': 'rich',
    'agents.0.issue': '2',
    'agents.0.evals': `${base}/api/evals/rich.json`,
    'agents.0.proof': json({ models: 2, answers: 3, passed: 0, stale: 1 }),
  },
  'api/evals/rich.json': {
    slug: 'rich',
    url: address,
    'cases.*.name': ['sample', 'hard'],
    'cases.*.about': ['null', richEvals.about],
    'cases.*.input': [rich.sampleInput, richEvals.input],
    'cases.0.checks': json([
      { contains: richEvals.check, why: richEvals.why, catches: { 'wrong-one': richEvals.wrong } },
      { 'is-json': true },
    ]),
    'cases.0.counterexamples.*.wrong': richEvals.wrong,
    'cases.0.counterexamples.*.answer': richEvals.wrongAnswer,
    'cases.1.turns.*.says': richEvals.says,
    'answers.0.recorded.withoutPrompt.ask': richEvals.ask,
    'answers.1.turns': json([richEvals.later]),
    'answers.*.case': ['sample', 'hard', 'sample'],
    'answers.*.folder': ['model-one', 'model-one', 'model-two'],
    'answers.*.recorded.model': [richEvals.model, richEvals.model, richEvals.other],
    'answers.*.recorded.date': ['2026-02-27', '2026-02-27', '2026-01-02'],
    'answers.0.recorded.note': richEvals.note,
    'answers.*.stale': ['null', 'null', 'prompt'],
    'answers.*.answer': [richEvals.good, richEvals.bad, richEvals.old],
    'answers.0.results': json([
      { kind: 'contains', value: richEvals.check, why: richEvals.why, failure: null },
      { kind: 'is-json', value: '', why: null, failure: 'It is not JSON.' },
    ]),
    'answers.0.withoutPrompt.answer': richEvals.bare,
    'answers.0.withoutPrompt.results.*.failure': [`It does not contain "${richEvals.check}".`, 'It is not JSON.'],
    'answers.1.withoutPrompt': 'null',
  },
  'feed.json': {
    version: 'https://jsonfeed.org/version/1.1',
    title: name,
    home_page_url: `${base}/`,
    feed_url: `${base}/feed.json`,
    description,
    language: 'en',
    'authors.*.name': publisher.name,
    'authors.*.url': publisher.url,
    'items.*.id': [`${feedId}/issues/3`, `${feedId}/issues/2`, `${feedId}/issues/1`],
    'items.1.url': address,
    'items.1.title': rich.title,
    'items.1.summary': rich.excerpt,
    'items.1.date_published': '2026-02-27T15:00:00.000Z',
    'items.1.date_modified': '2026-03-03T20:00:00.000Z',
    'items.1.tags': json([coding, ...rich.tags]),
  },
  '.well-known/agent-skills/index.json': {
    'skills.*.name': ['newer', 'rich', 'older'],
    'skills.*.type': ['archive', 'archive', 'archive'],
    'skills.1.description': skillDescription,
    'skills.1.url': 'rich.zip',
  },
  'agents/rich/.well-known/agent-skills/index.json': {
    'skills.*.name': ['rich'],
    'skills.*.type': ['archive'],
    'skills.0.description': skillDescription,
    'skills.0.url': '../../../../.well-known/agent-skills/rich.zip',
  },
  'marketplace.json': {
    name: 'publication-i-amp-quoted-single',
    description,
    owner: json({ name: publisher.name, url: publisher.url }),
    renames: json({ 'formerly-rich': 'rich', 'withdrawn-one': null }),
    'plugins.*.name': ['newer', 'rich', 'older'],
    'plugins.1.version': '1.3.0',
    'plugins.1.displayName': rich.title,
    'plugins.1.description': rich.excerpt,
    'plugins.1.homepage': address,
    'plugins.1.category': rich.category,
    'plugins.1.tags': json(rich.tags),
    'plugins.1.source.url': `${base}/plugins/rich-1.3.0.zip`,
  },
  'api/revisions.json': {
    complete: 'true',
    'agents.*.slug': ['newer', 'rich', 'older'],
    'agents.1.issue': '2',
    'agents.1.url': address,
    'agents.1.formerSlugs': json(['formerly-rich']),
    // The text in the folder is not committed yet.
    'agents.1.prompts.*.sha256': [sha256(rich.prompt), '1'.repeat(64), '2'.repeat(64)],
    'agents.1.prompts.*.date': ['2026-03-04', '2026-03-04', '2026-02-20'],
    'agents.1.plugins.*.name': 'rich',
    'agents.1.plugins.*.version': '1.3.0',
    'agents.1.lines': [
      ...new Set(
        rich.prompt
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => sha256(line.trim()).slice(0, 8)),
      ),
    ].join(''),
  },
  'api/mcp/server-card': {
    name: 'example.site/agents',
    title: name,
    description: tagline,
    websiteUrl: base,
    'repository.url': 'https://github.com/press/catalog',
    'repository.source': 'github',
    'icons.*.src': `${base}/assets/favicon.svg`,
    'remotes.*.url': 'https://runtime.example/run/api/mcp',
  },
  'server.json': {
    name: 'example.site/agents',
    title: name,
    description: tagline,
    websiteUrl: base,
    icons: json([{ src: `${base}/assets/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }]),
    repository: json({ url: publication.repository, source: 'github' }),
    remotes: json([{ type: 'streamable-http', url: 'https://runtime.example/run/api/mcp' }]),
  },
  'api/schema.json': { $id: `${base}/api/schema.json` },
  'api/openapi.json': {
    'info.title': name,
    'info.version': '1.1.0',
    'servers.*.url': base,
  },
  'build.json': {
    baseUrl: base,
    runtimeUrl: 'https://runtime.example/run',
    preview: 'false',
    'moved.formerly-rich': 'rich',
    'counts.agents': '3',
  },
};
