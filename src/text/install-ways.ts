import type { InstallWay } from '../schema/mcp.ts';
import type { Settings } from '../schema/settings.ts';
import { fenced } from './markdown-text.ts';

/** The names that assistants know a catalog by, and texts that a shell takes as they are. */

/**
 * The name of the server in a client's settings: the title's ASCII letters and digits, joined by hyphens, or `agents`.
 * Accents are dropped. Every client and every shell accepts such a name.
 */
function clientName(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 40).replace(/-+$/, '') || 'agents';
}

/** Names that Claude Code keeps for the marketplaces of its vendor. */
const reserved = /claude|anthropic|^(?:agent-skills|life-sciences|knowledge-work-plugins)$/;

/** The name of the marketplace, which readers write after the name of a plugin: from the title, or else from the host. */
export function marketplaceName({ title, baseUrl }: { title: string; baseUrl: string }): string {
  const names = [clientName(title), clientName(new URL(baseUrl).hostname)];
  return names.find((name) => !reserved.test(name)) ?? 'agents';
}

/** Percent-encodes every character of an address that could mean something to a shell. */
export function withoutShell(url: string): string {
  return url.replace(/[^\w.:/~%[\]-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

/** Where a publication offers its agents. */
interface InstallSource {
  title: string;
  /** The base URL. */
  site: string;
  /** The address of the MCP server, or null. */
  mcp: string | null;
  /** The repository with the branch `install`, or null. */
  repository: string | null;
}

/** Where readers of a publication install agents from. */
export function installSource(
  settings: Pick<Settings, 'title' | 'baseUrl' | 'runtimeUrl'> & { repository?: string | null | undefined },
): InstallSource {
  const { title, baseUrl, repository = null } = settings;
  return { title, site: baseUrl, mcp: mcpUrl(settings), repository };
}

/** The address of the MCP server, or null without a server. */
export function mcpUrl({ runtimeUrl }: Pick<Settings, 'runtimeUrl'>): string | null {
  return runtimeUrl === null ? null : `${runtimeUrl}/api/mcp`;
}

/** An agent to install. Without `prompt`, no way has a link that contains the prompt. */
export interface InstallableAgent {
  slug: string;
  promptUrl: string;
  prompt?: string;
}

/** Gives the ways to install an agent or, for null, the whole catalog, in the order of the table. */
export type InstallWays = (agent: InstallableAgent | null) => InstallWay[];

/** Returns a function that gives the ways to install from a publication. It leaves out ways that the settings do not allow. */
export function installWays(source: InstallSource): InstallWays {
  const shared = sourceValues(source);
  return (agent) => {
    const values = agent === null ? shared : Object.assign({}, shared, agentValues(agent));
    return clients.flatMap(({ name, catalog = [], agent: ofAgent = [] }) => {
      const ways = [agent === null ? catalog : ofAgent].flat().map((texts) => filled(name, texts, values));
      return ways.find((way) => way !== null) ?? [];
    });
  };
}

/** Ways to install as Markdown: a part with a heading of level 3 for each. */
export function installMarkdown(ways: readonly InstallWay[]): string {
  const parts = ways.map(({ name, use, url, paste, update, remove }) => [
    `### ${name}`,
    use,
    ...(url === null ? [] : [`Link: \`${url}\``]),
    ...(paste === null ? [] : [fenced(paste)]),
    `Update: ${update}`,
    `Remove: ${remove}`,
  ]);
  return parts.flat().join('\n\n');
}

/** Says which clients pages leave out because of the settings, and how to change that; a sentence for each setting. */
export function installHints(source: InstallSource): string[] {
  const list = new Intl.ListFormat('en');
  const agent = { slug: 'slug', promptUrl: source.site, prompt: '' };
  const names = (changed: InstallSource) => installWays(changed)(agent).map(({ name }) => name);
  const current = new Set(names(source));
  const gained = (change: Partial<InstallSource>) =>
    list.format([...new Set(names({ ...source, ...change }))].filter((name) => !current.has(name)));
  const [byRepository, byHttps] = [gained({ repository: 'https://github.com/o/r' }), gained({ site: 'https://a.b' })];
  return [
    ...(byRepository === ''
      ? []
      : [`Set \`repository\` in catalog.config.json, so that pages also show how to install in ${byRepository}.`]),
    ...(byHttps === '' ? [] : [`Use an https address as \`baseUrl\`, which ${byHttps} requires to install agents.`]),
  ];
}

/** The name and the address of an MCP server, as settings of clients and shells take them, and the link that adds it to Cursor. */
export function serverValues(title: string, url: string) {
  const mcp = withoutShell(url);
  return { server: clientName(title), mcp, cursorServerLink: cursorServerLink(title, mcp) };
}

/**
 * The link that adds an MCP server to Cursor. The Base64 has no plus sign, which would be read as a space: of ASCII, only `~`
 * and `>` lead to one, and an address has no `>`.
 */
function cursorServerLink(title: string, url: string): string {
  const config = Buffer.from(JSON.stringify({ url }).replaceAll('~', '\\u007e')).toString('base64');
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${clientName(title)}&config=${encodeURIComponent(config)}`;
}

/** The values for the braces of the table. A way that needs a null is left out. */
type Values = Readonly<Record<string, string | null>>;

const placeholder = /\{(\w+)\}/g;

function sourceValues({ title, site, mcp, repository }: InstallSource): Values {
  return {
    site: withoutShell(site),
    https: site.startsWith('https:') ? withoutShell(site) : null,
    marketplace: marketplaceName({ title, baseUrl: site }),
    ...(mcp === null ? {} : serverValues(title, mcp)),
    ...repositoryValues(repository?.replace(/\.git$/, '') ?? null),
  };
}

/** Clients take `owner/name` for a repository on GitHub, and the address for others. Each has its own sign for a branch. */
function repositoryValues(repository: string | null): Values {
  if (repository === null) return {};
  const { hostname, pathname } = new URL(repository);
  const github = hostname === 'github.com' ? pathname.slice(1) : null;
  const address = withoutShell(repository);
  const branch = `${github ?? `${address}.git`}#install`;
  return {
    repository: address,
    github,
    branch,
    codexSource: github === null ? `${address}.git --ref install` : `${github}@install`,
    vscodeLink: `vscode://chat-plugin/add-marketplace?ref=${Buffer.from(branch).toString('base64url')}`,
  };
}

/** The longest link that Cursor opens, in characters (cursor.com/docs/reference/deeplinks). */
const longestCursorLink = 8000;

function agentValues({ slug, promptUrl, prompt }: InstallableAgent): Values {
  const link =
    prompt === undefined ? null : `https://cursor.com/link/command?name=${slug}&text=${encodeURIComponent(prompt)}`;
  return {
    slug,
    promptUrl: withoutShell(promptUrl),
    cursorCommandLink: link === null || link.length > longestCursorLink ? null : link,
  };
}

/** A way with its values; null if one of them does not exist. */
function filled(name: string, texts: WayTexts, values: Values): InstallWay | null {
  let complete = true;
  const fill = (text: string) =>
    text.replace(placeholder, (_, key: string) => {
      const value = values[key] ?? null;
      complete &&= value !== null;
      return value ?? '';
    });
  const way = {
    name,
    use: fill(texts.use),
    url: texts.url === undefined ? null : fill(texts.url),
    paste: texts.paste === undefined ? null : fill(texts.paste),
    update: fill(texts.update),
    remove: fill(texts.remove),
  };
  return complete ? way : null;
}

/** How clients install agents, as a table. Pages, MCP, the install tree and the docs are made from it. */

/**
 * One way to install. Texts are Markdown with code only, and contain values of the publication in braces
 * (`install-ways.ts` has them all).
 */
interface WayTexts {
  /** The effect and the requirements of the link or the text to paste. */
  use: string;
  /** A link that opens the client. */
  url?: string;
  /** Commands for a shell, one a line, or an address. */
  paste?: string;
  update: string;
  remove: string;
}

/** For one agent and for the whole catalog: the ways, best first. The first one whose values all exist is used. */
type Ways = { [What in 'agent' | 'catalog']?: WayTexts | readonly WayTexts[] };

const again = 'Run the command again.';

/** The program `skills` installs for a client of these arguments, without a marketplace. `where` ends a sentence. */
const skills = (where: string, client = '') => ({
  agent: {
    use: `Installs this agent as a skill ${where}. Needs Node.js.`,
    paste: `npx skills add {site}/agents/{slug}${client}`,
    update: again,
    remove: 'Run `npx skills remove {slug}`.',
  },
  catalog: {
    use: `Installs the agents that you choose as skills ${where}. Needs Node.js.`,
    paste: `npx skills add {site}${client}`,
    update: again,
    remove: 'Run `npx skills remove` and choose the agents.',
  },
});
const cursor = skills('of the current project', ' --agent cursor');
const gemini = skills('of the current project', ' --agent gemini-cli');

const plugin = '{slug}@{marketplace}';

/**
 * A program with the commands `<program> plugin …`. `source` is the catalog as its marketplace, `choose` says how to install
 * from it, and the others are the names of its commands, with their arguments for one agent. `leave` begins the sentence that
 * removes the catalog with all its agents, and `force` ends its command.
 */
const plugins = (
  program: string,
  source: string,
  { choose, needs = '', install, refresh, update, remove, leave = 'Run', force = '' }: Record<string, string>,
) => {
  const add = `${program} plugin marketplace add ${source}`;
  const fresh = `Run \`${program} plugin marketplace ${refresh} {marketplace}\``;
  return {
    agent: {
      use: `Adds the catalog as a plugin marketplace, and installs this agent from it.${needs}`,
      paste: `${add}\n${program} plugin ${install} ${plugin}`,
      update: `${fresh}, then \`${program} plugin ${update}\`.`,
      remove: `Run \`${program} plugin ${remove}\`.`,
    },
    catalog: {
      use: `Adds the catalog as a plugin marketplace. Then ${choose}.${needs}`,
      paste: add,
      update: `${fresh}, then \`${program} plugin ${update?.replace('{slug}', '<agent>')}\` for each agent that you installed.`,
      remove: `${leave} \`${program} plugin marketplace remove {marketplace}${force}\`.`,
    },
  };
};

const vscode = (install: string, remove: string): WayTexts => ({
  use: `The link adds the catalog as a plugin marketplace, once you confirm it. Then search for \`@agentPlugins\` in the Extensions view, and install ${install}. If the link does nothing, update VS Code.`,
  url: '{vscodeLink}',
  update: 'VS Code updates plugins together with extensions.',
  remove,
});

const server: WayTexts = {
  use: 'Add this address to any assistant that supports MCP. It then finds the agent for a task, and always has the newest agents. The page for developers shows the steps for each assistant.',
  paste: '{mcp}',
  update: 'There is nothing to update.',
  remove: 'Delete the server in the settings of the assistant.',
};

/** Older versions cannot install from archives, only from the branch, which a catalog may not have. */
const claude = [
  ' In an earlier version, replace the first command with `claude plugin marketplace add {branch}`.',
  '',
].map((older) =>
  plugins('claude', '{https}/marketplace.json', {
    choose: 'type `/plugin` and choose agents',
    needs: ` Needs Claude Code 2.1.224 or later.${older}`,
    install: 'install',
    refresh: 'update',
    update: `update ${plugin}`,
    remove: `uninstall ${plugin}`,
  }),
);

/** All clients, in the order in which pages show them. */
const clients: readonly (Ways & { name: string })[] = [
  {
    name: 'Claude and ChatGPT',
    agent: {
      use: 'On the web and in their apps, there is nothing to install: paste the prompt into a chat. To keep it, paste it into the instructions of a project in Claude or ChatGPT, or of a Gem in Gemini.',
      update: 'Paste the new prompt over the old one.',
      remove: 'Delete the project or the Gem.',
    },
    catalog: {
      use: 'In Claude, open Customize, then Connectors, and choose Add custom connector in the menu of +. In ChatGPT on the web, open Plugins, and choose Add custom MCP server in the menu of +. Paste this address there. The assistant then finds the agent for a task. Not every plan allows it.',
      paste: '{mcp}',
      update: 'There is nothing to update.',
      remove: 'Delete the connector in Claude, or the plugin in ChatGPT.',
    },
  },
  {
    name: 'Claude Code',
    agent: claude.map(({ agent }) => agent),
    catalog: claude.map(({ catalog }) => catalog),
  },
  {
    name: 'VS Code',
    agent: vscode('`{slug}`', 'Right-click `{slug}` in the view Agent Plugins - Installed, and choose Uninstall.'),
    catalog: vscode(
      'the agents that you want',
      'Uninstall each agent in the view Agent Plugins - Installed. Then run `Chat: Manage Plugin Marketplaces` from the Command Palette, and remove the catalog.',
    ),
  },
  {
    name: 'Cursor',
    agent: [
      {
        use: 'The link saves the prompt as the command `/{slug}` of the open project, once you confirm it. The command below installs the agent as a skill instead, and needs Node.js.',
        url: '{cursorCommandLink}',
        paste: 'npx skills add {site}/agents/{slug} --agent cursor',
        update: 'Open the link or run the command again.',
        remove: 'Delete `.cursor/commands/{slug}.md`, or run `npx skills remove {slug}`.',
      },
      cursor.agent,
    ],
    catalog: [
      {
        use: 'The link connects Cursor to the catalog over MCP, once you confirm it. Cursor then finds the agent for a task.',
        url: '{cursorServerLink}',
        update: 'There is nothing to update.',
        remove: 'Delete the server `{server}` in the MCP settings of Cursor.',
      },
      cursor.catalog,
    ],
  },
  {
    name: 'Codex',
    ...plugins('codex', '{codexSource}', {
      choose: 'type `/plugins` and choose agents',
      install: 'add',
      refresh: 'upgrade',
      update: `add ${plugin}`,
      remove: `remove ${plugin}`,
      // Codex keeps using the agents of a marketplace that was removed.
      leave: 'Remove each agent with `codex plugin remove <agent>@{marketplace}`, then run',
    }),
  },
  {
    name: 'Copilot CLI',
    ...plugins('copilot', '"{branch}"', {
      choose: 'list its agents with `copilot plugin marketplace browse {marketplace}`',
      install: 'install',
      refresh: 'update',
      update: 'update {slug}',
      remove: 'uninstall {slug}',
      force: ' --force',
    }),
  },
  {
    name: 'Gemini CLI',
    agent: gemini.agent,
    catalog: [
      {
        use: 'Installs the newest 50 agents as one extension.',
        paste: 'gemini extensions install {repository} --ref=install',
        update: 'Run `gemini extensions update {marketplace}`.',
        remove: 'Run `gemini extensions uninstall {marketplace}`.',
      },
      gemini.catalog,
    ],
  },
  {
    name: 'GitHub CLI',
    agent: {
      use: 'Installs this agent as a skill in the assistants that you choose. Needs GitHub CLI 2.90 or later.',
      paste: 'gh skill install {github} plugins/{slug}/skills/{slug}@install',
      update: 'Run the command again with `--force`.',
      remove: 'Delete the folder that the command names.',
    },
  },
  { name: 'Other assistants', ...skills('in the assistants that you choose') },
  { name: 'MCP', agent: server, catalog: server },
  {
    name: 'Plain text',
    agent: {
      use: 'Saves the prompt as a file.',
      paste: 'curl -fsS -o {slug}.txt {promptUrl}',
      update: again,
      remove: 'Delete the file.',
    },
  },
];
