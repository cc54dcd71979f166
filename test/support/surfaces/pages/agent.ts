import { newer, older, olderHint, publication, rich, typeset } from '../../rich-catalog.ts';
import { base, coding, marketplace, vscodeLink } from '../known.ts';
import type { Expected } from '../reader.ts';
import type { Page } from './frame.ts';
import { agents, entries, subscribe, ways } from './parts.ts';
import { proof } from './proof.ts';

const { title: name, publisher, repository } = publication;

const lines = rich.prompt.split('\n').length - 1;
const words = rich.prompt.split(/\s+/).length - 1;
const attribution = `“${rich.title}” by ${publisher.name}, ${base}/agents/rich, CC BY 4.0`;

/** The sample output as Markdown, in which `&amp;` is a character reference. */
const rendered = rich.sampleOutput.trimEnd().replace('&amp;', '&');

/** The page of the agent `rich`. */
const agentPage: Expected = {
  'link[rel=alternate][title=Markdown] @href': `${base}/agents/rich.md`,
  'link[rel=alternate][title=Markdown] @type': 'text/markdown',
  'link[rel=alternate][title=JSON] @href': `${base}/api/agents/rich.json`,
  'link[rel=alternate][title=Prompt] @href': `${base}/agents/rich/prompt.txt`,
  '.agent .issue': 'No. 2 Saturday February 28, 2026',
  '.agent .issue @data-digits': '1',
  '.agent .issue time @datetime': '2026-02-28',
  '.agent h1': rich.title,
  '.agent .standfirst': rich.excerpt,
  '.contents a @href': [
    ...[
      '#result',
      '#use',
      '#install',
      '#sample',
      '#prompt',
      '#steps',
      '#proof',
      '#how-it-works',
      '#config',
      '#history',
    ],
    ...['#related', '#verdict', '/base/agents/older', '/base/agents/newer'],
  ],
  '.contents p a': ['Earlier No. 1', 'Later No. 3'],
  '.result-card .rendered': rendered,
  '.result-card pre': rich.sampleInput.trimEnd(),
  '.fill-in .buttons button': ['Fill with the sample', 'Clear', 'Copy the prompt'],
  '.agent section[aria-labelledby=problem] p': typeset(rich.problem),
  '.facts dt': ['Category', 'Difficulty', 'Made for', 'Tags'],
  '.facts dd': [coding, rich.difficulty, rich.runtimes.join(', '), 'tag-one, tag-two'],
  '.facts dd a @href': ['/base/categories/coding', '#use', '#use', '/base/tags/tag-one', '/base/tags/tag-two'],
  'section[aria-labelledby=steps] li': rich.steps.map(({ name, text }) => `${typeset(name)}. ${typeset(text)}`),
  'section[aria-labelledby=steps] li @id': ['step-1', 'step-2'],
  'section[aria-labelledby=prompt] .notes dt': ['INPUT', 'RULES', 'OUTPUT'],
  'section[aria-labelledby=prompt] .notes dd': [
    'Line 1: what you give',
    'Line 4: how it works',
    'Line 7: what comes back',
  ],
  'section[aria-labelledby=prompt] figcaption': `${lines} lines, ${words} words Copy the prompt`,
  'section[aria-labelledby=prompt] figcaption .copy @data-copy': 'prompt-text',
  '#prompt-text': rich.prompt,
  '#prompt-text .heading': ['INPUT\n', 'RULES\n', 'OUTPUT\n'],
  'section[aria-labelledby=prompt] .quiet a @href': [`${base}/agents/rich/prompt.txt`, `${base}/agents/rich.md`],
  'section[aria-labelledby=prompt] .leaf-body > .quiet': [
    'The prompt as plain text, this page as Markdown',
    'Contributed text, reviewed on March 4, 2026. A prompt gives an assistant no permission to use your tools, files, network or secrets. Only you can do that.',
  ],
  'section[aria-labelledby=prompt] time @datetime': '2026-03-04',
  '.fill-in @data-fill-in': 'prompt-text',
  '.fill-in @data-remember': [],
  '.fill-in legend': 'Your input, inserted into the prompt’s INPUT section',
  '.fill-in textarea @aria-label': 'Your input',
  '.fill-in textarea @id': 'own-input',
  '.fill-in textarea @data-input': [],
  '.open-in a': ['Claude', 'ChatGPT', 'Gemini', 'GitHub Copilot', 'Perplexity', 'Cursor'],
  '.open-in a @href': [
    'https://claude.ai/new',
    'https://chatgpt.com/',
    'https://gemini.google.com/app',
    'https://github.com/copilot',
    'https://www.perplexity.ai/',
    'https://cursor.com/',
  ],
  '.open-in a @data-prefill': [
    'https://claude.ai/new?q=',
    'https://chatgpt.com/?q=',
    '',
    // As github/docs links the prompts of its tutorials (src/content-render/unified/copilot-prompt).
    'https://github.com/copilot?prompt=',
    'https://www.perplexity.ai/search?q=',
    'https://cursor.com/link/prompt?text=',
  ],
  '.open-in a @data-limit': Array.from({ length: 6 }, () => '8000'),
  'section[aria-labelledby=sample] pre': [rich.sampleInput, rich.sampleOutput],
  'section[aria-labelledby=sample] pre @aria-labelledby': ['sample-input-title', 'sample-output-title'],
  '#sample-input-title, #sample-output-title': ['Sample input', 'Sample output'],
  'section[aria-labelledby=sample] .rendered': rendered,
  'section[aria-labelledby=sample] p a @href': '/base/agents/rich/sample-output.txt',
  ...proof,
  'section[aria-labelledby=demo] li': rich.demo.map(({ label, detail }) => `${typeset(label)}${typeset(detail)}`),
  'section[aria-labelledby=demo] .leaf-body > p a @href': rich.videoUrl,
  'section[aria-labelledby=how-it-works] .prose > *': [
    'Inner heading',
    'How it works "quoted" & ]]> Ωμέγα with stress and a link.',
  ],
  'section[aria-labelledby=how-it-works] .prose em': 'stress',
  'section[aria-labelledby=how-it-works] .prose a @href': 'https://link.example/?a=1&b=2',
  '#config-text': rich.config,
  'section[aria-labelledby=config] p a': `Download it as ${rich.configFilename}`,
  'section[aria-labelledby=config] a @href': '/base/agents/rich/config.json',
  'section[aria-labelledby=config] a @download': rich.configFilename,
  'section[aria-labelledby=config] .copy @data-copy': 'config-text',
  'section[aria-labelledby=install] > p':
    'Once it is installed, describe your task. The assistant loads the agent when it fits.',
  ...ways(
    [
      'Claude and ChatGPT',
      'Claude Code',
      'VS Code',
      'Cursor',
      'Codex',
      'Copilot CLI',
      'Gemini CLI',
      'GitHub CLI',
      'Other assistants',
      'MCP',
      'Plain text',
    ],
    ['Claude and ChatGPT', 'VS Code'],
  ),
  '.install a': ['Add to VS Code', 'Add to Cursor'],
  '.install a @href': [vscodeLink, `https://cursor.com/link/command?name=rich&text=${encodeURIComponent(rich.prompt)}`],
  '.install pre': [
    `claude plugin marketplace add ${base}/marketplace.json\nclaude plugin install rich@${marketplace}`,
    `npx skills add ${base}/agents/rich --agent cursor`,
    `codex plugin marketplace add press/catalog@install\ncodex plugin add rich@${marketplace}`,
    `copilot plugin marketplace add "press/catalog#install"\ncopilot plugin install rich@${marketplace}`,
    `npx skills add ${base}/agents/rich --agent gemini-cli`,
    'gh skill install press/catalog plugins/rich/skills/rich@install',
    `npx skills add ${base}/agents/rich`,
    'https://runtime.example/run/api/mcp',
    `curl -fsS -o rich.txt ${base}/agents/rich/prompt.txt`,
  ],
  '.install .quiet': [
    'Update: Paste the new prompt over the old one.Remove: Delete the project or the Gem.',
    `Update: Run claude plugin marketplace update ${marketplace}, then claude plugin update rich@${marketplace}.Remove: Run claude plugin uninstall rich@${marketplace}.`,
    'Update: VS Code updates plugins together with extensions.Remove: Right-click rich in the view Agent Plugins - Installed, and choose Uninstall.',
    'Update: Open the link or run the command again.Remove: Delete .cursor/commands/rich.md, or run npx skills remove rich.',
    `Update: Run codex plugin marketplace upgrade ${marketplace}, then codex plugin add rich@${marketplace}.Remove: Run codex plugin remove rich@${marketplace}.`,
    `Update: Run copilot plugin marketplace update ${marketplace}, then copilot plugin update rich.Remove: Run copilot plugin uninstall rich.`,
    'Update: Run the command again.Remove: Run npx skills remove rich.',
    'Update: Run the command again with --force.Remove: Delete the folder that the command names.',
    'Update: Run the command again.Remove: Run npx skills remove rich.',
    'Update: There is nothing to update.Remove: Delete the server in the settings of the assistant.',
    'Update: Run the command again.Remove: Delete the file.',
  ],
  // Mails link to this part.
  '#verdict': 'Was it useful?',
  'form.vote @action': 'https://runtime.example/run/api/feedback',
  'form.vote input[name=slug] @value': 'rich',
  'form.vote textarea @maxlength': '500',
  'form.vote .honeypot label @for': 'vote-website',
  'form.vote .honeypot input @id': 'vote-website',
  'form.vote button': ['Yes', 'No', 'Send the note'],
  'form.vote button @value': ['yes', 'no'],
  '#attribution': attribution,
  'section[aria-labelledby=reuse] p:nth-of-type(2)': `The prompt is based on ${rich.source.address} (${rich.source.license}).`,
  'section[aria-labelledby=reuse] p a': ['CC BY 4.0', rich.source.address, 'Edit this agent'],
  'section[aria-labelledby=reuse] p a @href': [
    'https://creativecommons.org/licenses/by/4.0/',
    rich.source.address,
    `${repository}/tree/HEAD/agents/rich`,
  ],
  'section[aria-labelledby=reuse] .copy': 'Copy the attribution',
  'section[aria-labelledby=reuse] .copy @data-copy': 'attribution',
  '.history li': ['March 4, 2026 2 lines added, 1 line removed', 'February 20, 2026 5 lines removed'],
  '.history time @datetime': ['2026-03-04', '2026-02-20'],
  ...entries('section[aria-labelledby=related]', [agents.newer, agents.older]),
  '.between a': [`Earlier, No. 1 ${older.title}`, `Later, No. 3 ${newer.title}`],
  '.between a @href': ['/base/agents/older', '/base/agents/newer'],
  '.between a @rel': ['prev', 'next'],
  ...subscribe,
};

/** What is different on the page of an agent whose prompt declares inputs, without config and video, the first of all. */
const firstAgentPage: Expected = {
  '.fill-in @data-fill-in': 'prompt-text',
  '.fill-in @data-remember': `${base}/agents/older`,
  '.fill-in label': ['ROWS (required)', 'NOTES (optional)'],
  '.fill-in label @for': ['own-input-1', 'own-input-2'],
  '.fill-in .field .quiet': [
    'one article a line, as “article, count, price”. When it is missing, ask for it once and stop.',
    typeset(olderHint),
  ],
  '.fill-in .field .quiet @id': ['own-input-1-hint', 'own-input-2-hint'],
  '.fill-in textarea @id': ['own-input-1', 'own-input-2'],
  '.fill-in textarea @data-input': ['ROWS', 'NOTES'],
  '.fill-in textarea @aria-required': 'true',
  '.fill-in textarea @aria-describedby': [
    'own-input-1-hint own-input-1-missing',
    'own-input-2-hint own-input-2-missing',
  ],
  '.fill-in .form-message @id': ['own-input-1-missing', 'own-input-2-missing'],
  'section[aria-labelledby=config]': [],
  'section[aria-labelledby=demo] .leaf-body > p': [],
  '.history': [],
  'section[aria-labelledby=reuse] p:nth-of-type(2)': `The prompt is based on a text by others (${older.source.license}).`,
  'section[aria-labelledby=reuse] p a': ['CC BY 4.0', 'Edit this agent'],
  '.between a': `Later, No. 2 ${rich.title}`,
  '.between a @href': '/base/agents/rich',
};

/** Pages of agents, and of an agent that has moved. */
export function agentPages(page: Page): Record<string, Expected> {
  const frame = {
    title: rich.title,
    description: rich.excerpt,
    path: 'agents/rich',
    picture: 'og/rich.png',
    pictureShows: `No. 2 of ${name}: ${rich.title}`,
    kind: 'article' as const,
    accent: '1',
    fonts: ['red-hat-mono-basic'],
  };
  const moved = {
    title: `${rich.title} has moved from formerly-rich`,
    description: `${rich.title}, which was called formerly-rich, is at another address.`,
    path: 'agents/rich',
    noindex: true,
  };
  return {
    'agents/rich.html': page(frame, agentPage),
    'agents/rich/index.html': page(frame, agentPage),
    'agents/older.html': firstAgentPage,
    'agents/formerly-rich.html': page(moved, {
      'meta[http-equiv=refresh] @content': '0; url=/base/agents/rich',
      h1: `${rich.title} has moved`,
      '.standfirst': 'It is now at a new address.',
      'main a @href': '/base/agents/rich',
    }),
  };
}
