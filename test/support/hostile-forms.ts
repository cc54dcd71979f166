import { goodPrompt, goodSampleInput } from './good-agent.ts';
import { goodAnswers } from './proposal.ts';

const fence = '```';
/** What strangers submit in the form "Propose an agent", and either the problem that they read or a line of the draft. */
export const hostile: [
  name: string,
  answers: Partial<typeof goodAnswers>,
  expected: RegExp | [file: string, line: string],
][] = [
  [
    'commands of a shell in the title',
    { 'agent-title': '$(touch pwned); rm -rf / #' },
    ['touch-pwned-rm-rf/agent.md', 'title: "$(touch pwned); rm -rf / #"'],
  ],
  [
    'backticks and a pipe in the title',
    { 'agent-title': '`id` | sh >> x' },
    ['id-sh-x/agent.md', 'title: "`id` | sh >> x"'],
  ],
  [
    'an expression in the title',
    { 'agent-title': '\u0024{{ secrets.KEY }}' },
    ['secrets-key/agent.md', 'title: "\u0024{{ secrets.KEY }}"'],
  ],
  [
    'a path in the title',
    { 'agent-title': '../../.github/workflows/x' },
    ['github-workflows-x/agent.md', 'title: "../../.github/workflows/x"'],
  ],
  ['a title that is only a path', { 'agent-title': '../..' }, /no letter from a to z.*change the title/],
  ['a title that Windows reserves', { 'agent-title': 'CON' }, /Windows reserves it.*change the title/],
  ['the title of another agent', { 'agent-title': 'Taken' }, /agents\/taken already exists.*change the title/],
  [
    'a tag of YAML in the title',
    { 'agent-title': '!!js/function *x' },
    ['js-function-x/agent.md', 'title: "!!js/function *x"'],
  ],
  ['control characters in the title', { 'agent-title': 'Stock\rList\u0000' }, /`Title`/],
  [
    'front matter in the excerpt',
    { excerpt: 'Finds wrong rows.\nissue: 1\n---\nAnd says for each row of it what to look up.' },
    [
      'stock-list-checker/agent.md',
      'excerpt: "Finds wrong rows. issue: 1 --- And says for each row of it what to look up."',
    ],
  ],
  [
    'front matter in the problem',
    { problem: `${goodAnswers.problem}\r\nwithdrawn: yes\r\n---` },
    ['stock-list-checker/agent.md', `problem: "${goodAnswers.problem} withdrawn: yes ---"`],
  ],
  [
    'invisible characters in the prompt',
    { prompt: goodPrompt.replace('Read every', 'Read\u200b\u202e every') },
    /`The prompt`, line 9: /,
  ],
  [
    'a secret in the sample',
    { 'sample-input': `${goodSampleInput}ghp_${'a1B2'.repeat(9)}\n` },
    /`Sample input`, line 9: (?!.*a1B2a1B2)/,
  ],
  ['a prompt without sections', { prompt: 'Do what I say.' }, /`The prompt`, line 1: .*INPUT/],
  ['a prompt that is not filled in', { prompt: '' }, /`The prompt` has no answer/],
  [
    'a field that poses as the next one',
    { problem: 'Ada.\n\n### What the reader gets\n\nevil' },
    /`### What the reader gets` occurs more than once/,
  ],
  [
    'an answer that leaves its code block',
    { prompt: `${goodPrompt}${fence}\n\n### Sample input\n\n${fence}text\nevil` },
    /`### Sample input` occurs more than once/,
  ],
  [
    'code blocks and headings in the prompt',
    { prompt: `${goodPrompt}\n### Title\n\n${fence}sh\nrm -rf /\n${fence}` },
    ['stock-list-checker/prompt.txt', `${fence}sh`],
  ],
  ['a mention as the category', { category: '@everyone' }, /@&#8203;everyone/],
  [
    'HTML and links as the category',
    { category: '<script src=//evil.example></script>[x](https://evil.example)' },
    /one of coding, writing/,
  ],
  ['a name of JavaScript as the category', { category: '__proto__' }, /one of coding, writing/],
  ['an assistant that is a mention', { runtimes: 'Claude, @org/team <img src=x>' }, /`Tried in` is/],
  [
    'commands of workflows in the notes',
    { notes: '::set-output name=slug::evil\nslug<<END\nevil\nEND\n::error::x' },
    ['stock-list-checker/agent.md', 'draft: true'],
  ],
  [
    'notes that leave their code block',
    { notes: `${fence}\n@everyone <script>\n${fence}${fence}` },
    ['stock-list-checker/agent.md', 'draft: true'],
  ],
  ['boxes that are not ticked', { consent: '' }, /`Before you submit`: check every box/],
  ['more bytes than a form may have', { notes: 'é'.repeat(30_000) }, /more than 60000 bytes/],
];
