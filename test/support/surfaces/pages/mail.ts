import { newer, older, publication, rich, typeset, unsubscribe } from '../../rich-catalog.ts';
import { address, base, coding } from '../known.ts';
import type { Expected } from '../reader.ts';

const { title: name, publisher } = publication;
const postal = publication.postalAddress.split('\n');
const ended = 'The email ends with a link to unsubscribe.';
const installs = [
  ...['Claude and ChatGPT', 'Claude Code', 'VS Code', 'Cursor', 'Codex', 'Copilot CLI', 'Gemini CLI', 'GitHub CLI'],
  ...['Other assistants', 'MCP', 'Plain text'],
].map((name) => ({ name, href: `${address}#install-${name.toLowerCase().replaceAll(' ', '-')}-way` }));
/** The colors for dark screens, by class. */
const dark = [
  '.paper { background-color: #161512 !important; }',
  '.plate { background-color: #1f1d19 !important; color: #ebe6dc !important; }',
  '.ink { color: #ebe6dc !important; }',
  '.quiet { color: #aaa294 !important; }',
  '.quiet, th, td, tr { border-color: #3a362f !important; }',
  '.link { color: #ff9d84 !important; }',
];
/** The rows of a wide table, as lists on phones. */
const narrow = [
  '.wide thead { display: none !important; }',
  '.wide tr, .wide td { display: block !important; }',
  '.wide td { border: 0 !important; padding: 0 !important; }',
  '.wide tr { padding: 8px 0; border-bottom: 1px solid #d9d3c5; }',
  '.wide .label { display: inline !important; }',
];
const yes = `${address}?vote=yes#verdict`;
const no = `${address}?vote=no#verdict`;

/** The answer is Markdown, where `&amp;` is `&`. */
const answer = rich.sampleOutput.trimEnd().replace('&amp;', '&');

/** The mail about the agent `rich`, as HTML. */
export const mailPages: Record<string, Expected> = {
  'mail/2.html': {
    'html @lang': 'en',
    title: `${rich.title} (No. 2)`,
    'meta[name=robots] @content': 'noindex',
    'meta[name=color-scheme] @content': 'light dark',
    'meta[name=supported-color-schemes] @content': 'light dark',
    style: `@media (max-width: 600px) { ${narrow.join(' ')} } @media (prefers-color-scheme: dark) { ${dark.join(' ')} }`,
    'body > div': rich.excerpt,
    // Mail programs show it after the subject. In the mail itself, it would be there twice.
    'body > div[style*="display: none"]': rich.excerpt,
    h1: rich.title,
    '[style=""]': [],
    h2: ['What comes back', 'The problem', 'The prompt'],
    '.plate': rich.prompt.trimEnd().replaceAll('\n', ''),
    // The prompt has eight lines.
    '.plate br': ['', '', '', '', '', '', ''],
    p: [
      name,
      `No. 2, Saturday, February 28, 2026, ${coding}`,
      rich.excerpt,
      'Use it with your input',
      answer,
      'See the whole example',
      typeset(rich.problem),
      'The prompt as a file',
      `Install it: ${installs.map(({ name }) => name).join(', ')}`,
      'Was it useful? Yes · No',
      `You get this email because you subscribed to ${name}. ${ended} ${publisher.name} ${postal.join(' ')} License of the prompts: CC BY 4.0`,
    ],
    'a @href': [
      `${base}/`,
      address,
      `${address}#use`,
      `${address}#sample`,
      `${address}/prompt.txt`,
      `${address}#install`,
      ...installs.map(({ href }) => href),
      yes,
      no,
      `${base}/`,
      'https://creativecommons.org/licenses/by/4.0/',
    ],
  },
};

/** What both mails end with, and what neither has. */
const sentFrame: Expected = {
  'p:last-of-type a': [name, 'Unsubscribe', 'CC BY 4.0'],
  'p:last-of-type a @href': [`${base}/`, unsubscribe, 'https://creativecommons.org/licenses/by/4.0/'],
  '[style=""]': [],
};

/** The mails that are sent to readers, as HTML: about the agent `rich`, whose prompt is too long there, and about all agents. */
export const sentMails: Record<string, Expected> = {
  'issue.html': {
    title: `${rich.title} (No. 2)`,
    '.plate + p': 'The prompt is shortened here, since it is too long for an email. Read the whole prompt.',
    '.plate + p a': 'the whole prompt',
    '.plate + p a @href': `${address}/prompt.txt`,
    ...sentFrame,
  },
  'digest.html': {
    title: `${name}: 3 agents of the week`,
    'body > div': [newer, rich, older].map(({ title }) => title).join(' · '),
    h1: `${name}: 3 agents of the week`,
    h2: [newer, rich, older].map(({ title }) => title),
    'h2 a @href': ['newer', 'rich', 'older'].map((slug) => `${base}/agents/${slug}`),
    'h2 + p': [
      `No. 3, Monday, March 2, 2026, ${coding}`,
      `No. 2, Saturday, February 28, 2026, ${coding}`,
      'No. 1, Saturday, January 31, 2026, Writing label',
    ],
    'h2 + p + p': [newer, rich, older].map(({ excerpt }) => excerpt),
    ...sentFrame,
  },
};

/** The published mail as plain text. */
export const mailText = `${name}

${rich.title}
No. 2, Saturday, February 28, 2026, ${coding}

${rich.excerpt}

What comes back
---------------

${rich.sampleOutput.trimEnd()}

The whole example: ${address}#sample

The problem
-----------

${typeset(rich.problem)}

The prompt
----------

${rich.prompt.trimEnd()}

The prompt as a file: ${address}/prompt.txt

Use it
------

With your own input: ${address}#use
Install it: ${address}#install
${installs.map(({ name, href }) => `- ${name}: ${href}\n`).join('')}
Was it useful?
--------------

Yes: ${yes}
No: ${no}

-- 
You get this email because you subscribed to ${name}: ${base}/
${ended}
${publisher.name}
${postal.join('\n')}
License of the prompts: CC BY 4.0
`;
