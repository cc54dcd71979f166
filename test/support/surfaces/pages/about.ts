import { outputs } from '../../../../src/site/index.ts';
import { newer, publication } from '../../rich-catalog.ts';
import { base, coding, writing } from '../known.ts';
import type { Expected } from '../reader.ts';
import type { Page } from './frame.ts';
import { subscribe } from './parts.ts';

const { title: name, description, publisher } = publication;

const about: Expected = {
  '.page-head .standfirst': description,
  'section[aria-labelledby=daily] p':
    'Every agent is published on its date with a permanent number and address. Published so far: 3. The archive lists them all.',
  'section[aria-labelledby=daily] a @href': '/base/archive',
  'section[aria-labelledby=reuse] p': `The prompts are published under CC BY 4.0. You may copy, change and sell them if you name ${publisher.name} and link to the agent. The page of each agent has a ready-made credit line.`,
  'section[aria-labelledby=reuse] a @href': 'https://creativecommons.org/licenses/by/4.0/',
  'section[aria-labelledby=follow] a @href': [
    '/base/atom.xml',
    '/base/feed.xml',
    '/base/feed.json',
    '/base/developers',
  ],
  'section[aria-labelledby=publisher] a': publisher.name,
  'section[aria-labelledby=publisher] a @href': publisher.url,
  ...subscribe,
};

const server = 'publication-i-amp-quoted-single';
const mcp = 'https://runtime.example/run/api/mcp';
const developers: Expected = {
  'section[aria-labelledby=api] dd pre': [
    `curl ${base}/api/agents.json`,
    `curl ${base}/api/agents/newer.json`,
    `curl ${base}/agents/newer/prompt.txt`,
  ],
  'section[aria-labelledby=api] .leaf-body > p':
    'The contract is version 1.1.0 and stable. OpenAPI 3.1 describes every operation, and a JSON Schema every document.',
  'section[aria-labelledby=api] .leaf-body > p a @href': ['/base/api/openapi.json', '/base/api/schema.json'],
  'section[aria-labelledby=api] .copy': ['all agents', 'one agent', 'one prompt'].map(
    (what) => `Copy the command for ${what}`,
  ),
  'section[aria-labelledby=api] .copy @data-copy': ['curl-catalog', 'curl-agent', 'curl-prompt'],
  'section[aria-labelledby=mcp] dt': [
    'Address',
    'Claude Code: Run this. Add --scope user to use it in all your projects.',
    'Claude Desktop and claude.ai: In Customize, Connectors, choose Add custom connector in the menu of + and paste the address. It must be a public https address.',
    'ChatGPT: On the web, open Plugins, choose Add custom MCP server in the menu of +, paste the address, and choose No authentication. It must be a public https address.',
    'Cursor: Open the link, or add this to .cursor/mcp.json.',
    'VS Code: Open the link, or add this to .vscode/mcp.json.',
    'Codex: Run this.',
    'Gemini CLI: Run this.',
    'Copilot CLI: Run this.',
    'opencode: Run this.',
  ],
  'section[aria-labelledby=mcp] pre': [
    mcp,
    `claude mcp add --transport http ${server} "${mcp}"`,
    mcp,
    mcp,
    JSON.stringify({ mcpServers: { [server]: { url: mcp } } }, null, 2),
    JSON.stringify({ servers: { [server]: { type: 'http', url: mcp } } }, null, 2),
    `codex mcp add ${server} --url "${mcp}"`,
    `gemini mcp add --transport http ${server} "${mcp}"`,
    `copilot mcp add --transport http ${server} "${mcp}"`,
    `opencode mcp add ${server} --url "${mcp}"`,
  ],
  'section[aria-labelledby=mcp] pre @id': [
    ...['mcp-address', 'mcp-claude-code', 'mcp-claude-desktop-and-claude-ai', 'mcp-chatgpt'],
    ...['mcp-cursor', 'mcp-vs-code', 'mcp-codex'],
    'mcp-gemini-cli',
    'mcp-copilot-cli',
    'mcp-opencode',
  ],
  'section[aria-labelledby=mcp] pre @aria-label': [
    'Address of the MCP server',
    ...[
      'Claude Code',
      'Claude Desktop and claude.ai',
      'ChatGPT',
      'Cursor',
      'VS Code',
      'Codex',
      'Gemini CLI',
      'Copilot CLI',
      'opencode',
    ].map((client) => `Set-up for ${client}`),
  ],
  'section[aria-labelledby=mcp] .copy @data-copy': [
    ...['mcp-address', 'mcp-claude-code', 'mcp-claude-desktop-and-claude-ai', 'mcp-chatgpt'],
    ...['mcp-cursor', 'mcp-vs-code', 'mcp-codex'],
    'mcp-gemini-cli',
    'mcp-copilot-cli',
    'mcp-opencode',
  ],
  'section[aria-labelledby=mcp] dd a': ['Add to Claude Desktop and claude.ai', 'Add to Cursor', 'Add to VS Code'],
  'section[aria-labelledby=mcp] dd a @href': [
    `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=${encodeURIComponent(name)}&connectorUrl=${encodeURIComponent(mcp)}`,
    `cursor://anysphere.cursor-deeplink/mcp/install?name=${server}&config=${encodeURIComponent(Buffer.from(JSON.stringify({ url: mcp })).toString('base64'))}`,
    `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: server, type: 'http', url: mcp }))}`,
  ],
  '#example': 'The answer to the first command, shortened to the newest agent',
  '[aria-labelledby=example]': JSON.stringify(
    {
      ...{ version: '1.1.0', schema: `${base}/api/schema.json`, count: 3 },
      agents: [
        {
          ...{
            title: newer.title,
            slug: 'newer',
            date: newer.date,
            issue: 3,
            category: 'coding',
            categoryLabel: coding,
          },
          ...{ tags: ['tag-one', 'other-tag'], difficulty: 'easy', runtimes: ['Claude'], excerpt: newer.excerpt },
          ...{ url: `${base}/agents/newer`, apiUrl: `${base}/api/agents/newer.json` },
          promptUrl: `${base}/agents/newer/prompt.txt`,
        },
      ],
    },
    null,
    2,
  ),
  'section[aria-labelledby=outputs] th @scope': ['col', 'col'],
  'section[aria-labelledby=outputs] td': outputs.flatMap(({ path, purpose }) => [
    path,
    purpose.replaceAll('`', '').replaceAll("'", '’'),
  ]),
  'section[aria-labelledby=skills] pre': `npx skills add ${base}`,
  'section[aria-labelledby=skills] .copy @data-copy': 'skills-command',
  'section[aria-labelledby=models] a @href': ['/base/llms.txt', '/base/llms-full.txt'],
  'section[aria-labelledby=feeds] p':
    'Atom, RSS 2.0 and JSON Feed 1.1 contain the newest agents in full, up to 50. Every category also has its own Atom feed:',
  'section[aria-labelledby=feeds] p a @href': ['/base/atom.xml', '/base/feed.xml', '/base/feed.json'],
  'section[aria-labelledby=feeds] li': [coding, writing],
  'section[aria-labelledby=feeds] li a @href': ['/base/feeds/coding.xml', '/base/feeds/writing.xml'],
};

/** The pages about the publication: for readers and for developers. */
export function aboutPages(page: Page): Record<string, Expected> {
  return {
    'about.html': page(
      { title: 'About', description: `What ${name} is, and who publishes it.`, path: 'about', current: 'About' },
      {
        ...about,
        'link[rel=alternate][title=Markdown] @href': `${base}/about.md`,
        'link[rel=alternate][title=Markdown] @type': 'text/markdown',
      },
    ),
    'developers.html': page(
      {
        title: 'For developers',
        description: 'The JSON API, MCP, the text indexes, the feeds and the skills.',
        path: 'developers',
        current: 'Developers',
        fonts: ['red-hat-mono-basic'],
      },
      developers,
    ),
  };
}
