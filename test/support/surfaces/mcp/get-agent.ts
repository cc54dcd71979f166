import { rich, typeset } from '../../rich-catalog.ts';
import { richEvals } from '../../rich-evals.ts';
import { provenance } from '../files/texts.ts';
import { address, coding, marketplace, vscodeLink } from '../known.ts';
import type { Expected } from '../reader.ts';
import type { Asked } from './asked.ts';

/** How to run an agent, and the parts that `include` can ask for. */
const usage =
  'To run it, follow the prompt. Put what the user provides at the end of INPUT, between `<input>` and `</input>`. If something that INPUT requires is missing, ask for it once.';
/** The ways to install the agent. Its prompt is in the answer, so no link repeats it. */
const skill = 'npx skills add https://site.example/base/agents/rich';
const ofProject = 'Installs this agent as a skill of the current project. Needs Node.js.';
const again = { url: null, update: 'Run the command again.', remove: 'Run `npx skills remove rich`.' };
const ways = [
  {
    name: 'Claude and ChatGPT',
    use: 'On the web and in their apps, there is nothing to install: paste the prompt into a chat. To keep it, paste it into the instructions of a project in Claude or ChatGPT, or of a Gem in Gemini.',
    url: null,
    paste: null,
    update: 'Paste the new prompt over the old one.',
    remove: 'Delete the project or the Gem.',
  },
  {
    name: 'Claude Code',
    use: 'Adds the catalog as a plugin marketplace, and installs this agent from it. Needs Claude Code 2.1.224 or later. In an earlier version, replace the first command with `claude plugin marketplace add press/catalog#install`.',
    url: null,
    paste: `claude plugin marketplace add https://site.example/base/marketplace.json\nclaude plugin install rich@${marketplace}`,
    update: `Run \`claude plugin marketplace update ${marketplace}\`, then \`claude plugin update rich@${marketplace}\`.`,
    remove: `Run \`claude plugin uninstall rich@${marketplace}\`.`,
  },
  {
    name: 'VS Code',
    use: 'The link adds the catalog as a plugin marketplace, once you confirm it. Then search for `@agentPlugins` in the Extensions view, and install `rich`. If the link does nothing, update VS Code.',
    url: vscodeLink,
    paste: null,
    update: 'VS Code updates plugins together with extensions.',
    remove: 'Right-click `rich` in the view Agent Plugins - Installed, and choose Uninstall.',
  },
  { name: 'Cursor', use: ofProject, paste: `${skill} --agent cursor`, ...again },
  {
    name: 'Codex',
    use: 'Adds the catalog as a plugin marketplace, and installs this agent from it.',
    url: null,
    paste: `codex plugin marketplace add press/catalog@install\ncodex plugin add rich@${marketplace}`,
    update: `Run \`codex plugin marketplace upgrade ${marketplace}\`, then \`codex plugin add rich@${marketplace}\`.`,
    remove: `Run \`codex plugin remove rich@${marketplace}\`.`,
  },
  {
    name: 'Copilot CLI',
    use: 'Adds the catalog as a plugin marketplace, and installs this agent from it.',
    url: null,
    paste: `copilot plugin marketplace add "press/catalog#install"\ncopilot plugin install rich@${marketplace}`,
    update: `Run \`copilot plugin marketplace update ${marketplace}\`, then \`copilot plugin update rich\`.`,
    remove: 'Run `copilot plugin uninstall rich`.',
  },
  { name: 'Gemini CLI', use: ofProject, paste: `${skill} --agent gemini-cli`, ...again },
  {
    name: 'GitHub CLI',
    use: 'Installs this agent as a skill in the assistants that you choose. Needs GitHub CLI 2.90 or later.',
    url: null,
    paste: 'gh skill install press/catalog plugins/rich/skills/rich@install',
    update: 'Run the command again with `--force`.',
    remove: 'Delete the folder that the command names.',
  },
  {
    name: 'Other assistants',
    use: 'Installs this agent as a skill in the assistants that you choose. Needs Node.js.',
    paste: skill,
    ...again,
  },
  {
    name: 'MCP',
    use: 'Add this address to any assistant that supports MCP. It then finds the agent for a task, and always has the newest agents. The page for developers shows the steps for each assistant.',
    url: null,
    paste: 'https://runtime.example/run/api/mcp',
    update: 'There is nothing to update.',
    remove: 'Delete the server in the settings of the assistant.',
  },
  {
    name: 'Plain text',
    use: 'Saves the prompt as a file.',
    ...again,
    paste: 'curl -fsS -o rich.txt https://site.example/base/agents/rich/prompt.txt',
    remove: 'Delete the file.',
  },
];
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
  problem: { data: { problem: rich.problem }, markdown: { h2: 'The problem', 'h2 + p': typeset(rich.problem) } },
  steps: {
    data: { steps: rich.steps },
    markdown: { h2: 'Steps', 'ol li': rich.steps.map(({ name, text }) => `${typeset(name)} ${typeset(text)}`) },
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
      h2: 'Walkthrough',
      'ol li': rich.demo.map(({ label, detail }) => `${typeset(label)} ${typeset(detail)}`),
      'ol + p': `Video: ${rich.videoUrl}`,
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
  install: {
    data: { install: ways },
    markdown: {
      h2: 'Install',
      h3: ways.map(({ name }) => name),
      'h3 + p': ways.map(({ use }) => use.replaceAll('`', '')),
      'h3 + p + p': [`Update: ${ways[0]?.update}`, `Link: ${vscodeLink}`],
      'h3 + p + pre': ways.flatMap(({ paste }) => (paste === null ? [] : `${paste}\n`)),
      'p:contains("Update:")': ways.map(({ update }) => `Update: ${update.replaceAll('`', '')}`),
      'p:contains("Remove:")': ways.map(({ remove }) => `Remove: ${remove.replaceAll('`', '')}`),
    },
  },
  proof: {
    data: {
      proof: {
        document: 'https://site.example/base/api/evals/rich.json',
        answers: [
          {
            ...{ model: richEvals.model, case: 'sample', date: '2026-02-27', checks: 2 },
            ...{ failures: ['is-json: It is not JSON.'], outOfDate: false },
          },
          {
            ...{ model: richEvals.model, case: 'hard', date: '2026-02-27', checks: 2 },
            ...{ failures: [`contains: It does not contain "${richEvals.check}".`], outOfDate: false },
          },
          {
            ...{ model: richEvals.other, case: 'sample', date: '2026-01-02', checks: 2 },
            failures: [`${richEvals.why} It does not contain "${richEvals.check}".`, 'is-json: It is not JSON.'],
            outOfDate: true,
          },
        ],
      },
    },
    markdown: {
      ...{
        h2: 'Proof',
        'h2 + p': 'Recorded answers of models, in full at https://site.example/base/api/evals/rich.json',
      },
      'ul li': [
        `${richEvals.model}, sample, 2026-02-27: 1 of 2 checks passed. Failed: is-json: It is not JSON.`,
        `${richEvals.model}, hard, 2026-02-27: 1 of 2 checks passed. Failed: contains: It does not contain "${richEvals.check}".`,
        `${richEvals.other}, sample, 2026-01-02: 0 of 2 checks passed, out of date. Failed: ${richEvals.why} It does not contain "${richEvals.check}". is-json: It is not JSON.`,
      ],
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
