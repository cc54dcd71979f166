import { rich } from '../../rich-catalog.ts';
import { provenance } from '../files/texts.ts';
import { address, coding } from '../known.ts';
import type { Expected } from '../reader.ts';
import type { Asked } from './asked.ts';

/** How to run an agent, and the parts that `include` can ask for. */
const usage =
  'To run it, follow the prompt. Put what the user provides at the end of INPUT, between `<input>` and `</input>`. If something that INPUT requires is missing, ask for it once.';
const parts = {
  metadata: {
    data: {
      ...{ date: rich.date, issue: 2, category: 'coding', tags: rich.tags },
      ...{ difficulty: rich.difficulty, runtimes: rich.runtimes },
    },
    markdown: {
      'ul li': [
        'Issue: 2, 2026-02-28',
        `Category: ${coding}`,
        `Difficulty: ${rich.difficulty}`,
        `Made for: ${rich.runtimes.join(', ')}`,
        'Tags: tag-one, tag-two',
        `Address: ${address}`,
      ],
    },
  },
  problem: { data: { problem: rich.problem }, markdown: { h2: 'The problem', 'h2 + p': rich.problem } },
  steps: {
    data: { steps: rich.steps },
    markdown: { h2: 'Steps', 'ol li': rich.steps.map(({ name, text }) => `${name} ${text}`) },
  },
  howItWorks: {
    data: { howItWorks: rich.howItWorks },
    markdown: {
      ...{ h2: 'How it works', h3: 'Inner heading' },
      'h3 + p': 'How it works "quoted" & ]]> Ωμέγα with stress and a link.',
      'a @href': 'https://link.example/?a=1&b=2',
    },
  },
  demo: {
    data: { demo: rich.demo, videoUrl: rich.videoUrl },
    markdown: {
      h2: 'Demo',
      'ul li': rich.demo.map(({ second, label, detail }) => `${second} s: ${label} ${detail}`),
      'ul + p': `Video: ${rich.videoUrl}`,
    },
  },
  sample: {
    data: { sampleInput: rich.sampleInput, sampleOutput: rich.sampleOutput },
    markdown: { h2: ['Sample input', 'Sample output'], 'h2 + pre': [rich.sampleInput, rich.sampleOutput] },
  },
  config: {
    data: { config: JSON.parse(rich.config) as object, configFilename: rich.configFilename },
    markdown: {
      ...{ h2: 'Config', 'h2 + p': `Save it as ${rich.configFilename}.` },
      'h2 + p + pre': `${JSON.stringify(JSON.parse(rich.config), null, 2)}\n`,
    },
  },
} satisfies Record<string, { data: object; markdown: Expected }>;

/** get_agent with a part, or with none, or all. */
function getAgent(include: (keyof typeof parts)[], asked: readonly string[] = include): Asked {
  const more = Object.keys(parts).filter((part) => !include.some((one) => one === part));
  const last = `More with include: ${more.join(', ')}. The whole document is the resource agent://rich.`;
  const own = include.length === 1 ? (parts[include[0] ?? 'problem'].markdown as Expected) : {};
  return {
    method: 'tools/call',
    params: { name: 'get_agent', arguments: { slug: 'rich', include: asked } },
    result: {
      structuredContent: {
        ...{ slug: 'rich', title: rich.title, excerpt: rich.excerpt, url: address, license: 'CC-BY-4.0' },
        ...{ provenance, usage, prompt: rich.prompt, more },
        ...Object.assign({}, ...include.map((part) => parts[part].data)),
      },
    },
    markdown: {
      ...{ h1: rich.title, blockquote: rich.excerpt, 'blockquote + p': provenance, i: [], input: [] },
      'blockquote + p + p': usage.replaceAll('`', ''),
      'blockquote + p + p + pre': rich.prompt,
      ...(include.length < 2 ? { h2: [], ...own } : {}),
      ...(more.length > 0 ? { 'body > p:last-child': last } : {}),
    },
  };
}

const keys = Object.keys(parts) as (keyof typeof parts)[];

/** The requests for an agent. */
export const getAgentRows: Record<string, Asked> = {
  get_agent: getAgent([]),
  ...Object.fromEntries(keys.map((part) => [`get_agent with ${part}`, getAgent([part])])),
  'get_agent with all': getAgent(keys, ['all']),
  'get_agent by its former slug': {
    ...getAgent([]),
    params: { name: 'get_agent', arguments: { slug: 'formerly-rich' } },
  },
  'get_agent by a wrong slug': {
    method: 'tools/call',
    params: { name: 'get_agent', arguments: { slug: 'ritch' } },
    result: { isError: true },
    text: 'No agent has this slug. Did you mean rich? search_agents finds agents by what they are for.',
  },
};
