import { newer, publication } from '../../rich-catalog.ts';
import { base, coding, marketplace, vscodeLink } from '../known.ts';
import type { Expected } from '../reader.ts';
import type { Page } from './frame.ts';
import { agents, entries, filters, type Listed, subjects, subscribe, ways } from './parts.ts';

const { title: name, description, categories } = publication;

const home: Expected = {
  '.front .issue': 'No. 3 Monday March 2, 2026',
  '.front .issue @data-digits': '1',
  '.front .issue time @datetime': '2026-03-02',
  '.front h1': newer.title,
  '.entry .quiet': 'Proof: 0 of 3 recorded answers pass every check, 1 out of date',
  '.front h1 a @href': '/base/agents/newer',
  '.front .front-head > p': [newer.excerpt, 'Copy the prompt Use it with your input'],
  '.front-problem':
    'Ada maintains a catalog and needs a small agent that is well-formed, so that a test can break it in one place.',
  '.front .actions a @href': '/base/agents/newer#use',
  '.front .actions .copy @data-copy': 'prompt-text',
  '.front .facts dd': [coding, 'easy', 'Claude', 'tag-one, other-tag'],
  '.front .steps li': [
    'Copy the list. Paste the rows under ROWS.',
    'Add the mails. Paste what was written about the stock under NOTES.',
    'Look the rows up. Go to the shelf with the table.',
  ],
  '.front figcaption .quiet': '24 lines, 209 words',
  '.front #prompt-text .heading': ['INPUT\n', 'RULES\n', 'OUTPUT (at most 20 lines)\n'],
  ...entries('section[aria-labelledby=newest]', [agents.rich, agents.older]),
  '.onward': 'All 3 agents, by month',
  '.onward a @href': '/base/archive',
  ...subjects,
  'section[aria-labelledby=install] .leaf-body > p':
    'Once agents are installed, describe your task. The assistant loads the one that fits.',
  ...ways(
    [
      'Claude and ChatGPT',
      'Claude Code',
      'VS Code',
      'Cursor',
      'Codex',
      'Copilot CLI',
      'Gemini CLI',
      'Other assistants',
      'MCP',
    ],
    ['VS Code', 'Cursor'],
  ),
  '.install a': ['Add to VS Code', 'Add to Cursor'],
  '.install a @href': [
    vscodeLink,
    `cursor://anysphere.cursor-deeplink/mcp/install?name=${marketplace}&config=${encodeURIComponent(
      Buffer.from('{"url":"https://runtime.example/run/api/mcp"}').toString('base64'),
    )}`,
  ],
  '.install pre': [
    'https://runtime.example/run/api/mcp',
    `claude plugin marketplace add ${base}/marketplace.json`,
    'codex plugin marketplace add press/catalog@install',
    'copilot plugin marketplace add "press/catalog#install"',
    'gemini extensions install https://github.com/press/catalog --ref=install',
    `npx skills add ${base}`,
    'https://runtime.example/run/api/mcp',
  ],
  '.install h3 + p': [
    'In Claude, open Customize, then Connectors, and choose Add custom connector in the menu of +. In ChatGPT on the web, open Plugins, and choose Add custom MCP server in the menu of +. Paste this address there. The assistant then finds the agent for a task. Not every plan allows it.',
    'Adds the catalog as a plugin marketplace. Then type /plugin and choose agents. Needs Claude Code 2.1.224 or later. In an earlier version, replace the first command with claude plugin marketplace add press/catalog#install.',
    'The link adds the catalog as a plugin marketplace, once you confirm it. Then search for @agentPlugins in the Extensions view, and install the agents that you want. If the link does nothing, update VS Code.',
    'The link connects Cursor to the catalog over MCP, once you confirm it. Cursor then finds the agent for a task.',
    'Adds the catalog as a plugin marketplace. Then type /plugins and choose agents.',
    `Adds the catalog as a plugin marketplace. Then list its agents with copilot plugin marketplace browse ${marketplace}.`,
    'Installs the newest 50 agents as one extension.',
    'Installs the agents that you choose as skills in the assistants that you choose. Needs Node.js.',
    'Add this address to any assistant that supports MCP. It then finds the agent for a task, and always has the newest agents. The page for developers shows the steps for each assistant.',
  ],
  '.install .quiet': [
    'Update: There is nothing to update.Remove: Delete the connector in Claude, or the plugin in ChatGPT.',
    `Update: Run claude plugin marketplace update ${marketplace}, then claude plugin update <agent>@${marketplace} for each agent that you installed.Remove: Run claude plugin marketplace remove ${marketplace}.`,
    'Update: VS Code updates plugins together with extensions.Remove: Uninstall each agent in the view Agent Plugins - Installed. Then run Chat: Manage Plugin Marketplaces from the Command Palette, and remove the catalog.',
    `Update: There is nothing to update.Remove: Delete the server ${marketplace} in the MCP settings of Cursor.`,
    `Update: Run codex plugin marketplace upgrade ${marketplace}, then codex plugin add <agent>@${marketplace} for each agent that you installed.Remove: Remove each agent with codex plugin remove <agent>@${marketplace}, then run codex plugin marketplace remove ${marketplace}.`,
    `Update: Run copilot plugin marketplace update ${marketplace}, then copilot plugin update <agent> for each agent that you installed.Remove: Run copilot plugin marketplace remove ${marketplace} --force.`,
    `Update: Run gemini extensions update ${marketplace}.Remove: Run gemini extensions uninstall ${marketplace}.`,
    'Update: Run the command again.Remove: Run npx skills remove and choose the agents.',
    'Update: There is nothing to update.Remove: Delete the server in the settings of the assistant.',
  ],
  'section[aria-labelledby=follow] .leaf-body > p': [description],
  'section[aria-labelledby=follow] a @href': ['/base/atom.xml', '/base/feed.xml', '/base/feed.json'],
  ...subscribe,
};

const archive: Expected = {
  h1: 'Archive',
  '.page-head .standfirst': 'One agent a day, 3 so far.',
  ...filters,
  'section[aria-labelledby^=month-] h2': ['March 2026', 'February 2026', 'January 2026'],
  'section[aria-labelledby^=month-] h2 @id': ['month-2026-03', 'month-2026-02', 'month-2026-01'],
  'section[aria-labelledby^=month-] @aria-labelledby': ['month-2026-03', 'month-2026-02', 'month-2026-01'],
  ...entries('section[aria-labelledby^=month-]', [agents.newer, agents.rich, agents.older]),
  '[data-list] .entry .quiet': 'Proof: 0 of 3 recorded answers pass every check, 1 out of date',
  ...subjects,
  '.tags li': ['other-tag 1', 'tag-one 2', 'tag-two 2'],
  '.tags a @href': ['/base/tags/other-tag', '/base/tags/tag-one', '/base/tags/tag-two'],
};

function group(kind: string, label: string, about: string | [], line: string, listed: Listed[]): Expected {
  return {
    '.page-head .dateline': kind,
    h1: label,
    '.page-head .standfirst': about,
    '.page-head > p:last-child': line,
    ...entries('section[aria-labelledby=agents]', listed),
    '.between': [],
  };
}

/** Home, the archive, and the pages of a category and a tag. */
export function listPages(page: Page): Record<string, Expected> {
  const list = { path: 'categories/coding', title: `Category: ${coding}`, description: categories.coding.description };
  return {
    'index.html': page(
      {
        ...{
          title: name,
          bar: name,
          description,
          path: '',
          current: 'Today',
          fonts: ['red-hat-mono-basic'],
        },
        ...{ accent: '1' },
      },
      home,
    ),
    'archive.html': page(
      {
        ...{ title: 'Archive', description: `Every agent of ${name}.`, path: 'archive' },
        ...{ current: 'Archive' },
      },
      archive,
    ),
    'categories/coding.html': page(
      { ...list, accent: '1', current: 'Archive' },
      {
        ...group(
          'Category',
          coding,
          categories.coding.description,
          '2 agents, newest first. Follow this category as a feed. All agents',
          [agents.newer, agents.rich],
        ),
        '.page-head a @href': [`${base}/feeds/coding.xml`, '/base/archive'],
        'link[rel=alternate][type="application/atom+xml"] @title': [`${coding} (Atom)`, `${name} (Atom)`],
        'link[rel=alternate][type="application/atom+xml"] @href': [`${base}/feeds/coding.xml`, '/base/atom.xml'],
      },
    ),
    'tags/other-tag.html': page(
      {
        ...{ title: 'Tag: other-tag', path: 'tags/other-tag', current: 'Archive' },
        description: `Agents tagged “other-tag”: ${newer.title}.`,
      },
      group('Tag', 'other-tag', [], '1 agent, newest first. All agents', [agents.newer]),
    ),
  };
}
