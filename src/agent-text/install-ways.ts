import type { InstallWay } from '../schema/mcp.ts';
import { clientName, marketplaceName, withoutShell } from './client-names.ts';
import { clients, type WayTexts } from './install-clients.ts';
import { fenced } from './markdown-text.ts';

/** Where a publication offers its agents. */
export interface InstallSource {
  title: string;
  /** The base URL. */
  site: string;
  /** The address of the MCP server, or null. */
  mcp: string | null;
  /** The repository with the branch `install`, or null. */
  repository: string | null;
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
      for (const texts of agent === null ? catalog : ofAgent) {
        const way = filled(name, texts, values);
        if (way !== null) return way;
      }
      return [];
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
  const names = (given: InstallSource) => installWays(given)(agent).map(({ name }) => name);
  const known = new Set(names(source));
  const gained = (change: Partial<InstallSource>) =>
    list.format([...new Set(names({ ...source, ...change }))].filter((name) => !known.has(name)));
  const [byRepository, byHttps] = [gained({ repository: 'https://github.com/o/r' }), gained({ site: 'https://a.b' })];
  return [
    ...(byRepository === ''
      ? []
      : [`Set \`repository\` in catalog.config.json, so that pages also show how to install in ${byRepository}.`]),
    ...(byHttps === '' ? [] : [`Use an https address as \`baseUrl\`, which ${byHttps} requires to install agents.`]),
  ];
}

/** The link that adds an MCP server to Cursor. */
export function cursorServerLink(title: string, url: string): string {
  const config = Buffer.from(JSON.stringify({ url })).toString('base64');
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${clientName(title)}&config=${encodeURIComponent(config)}`;
}

/** What the braces of the table stand for. A way that needs a null is left out. */
type Values = Readonly<Record<string, string | null>>;

const placeholder = /\{(\w+)\}/g;

function sourceValues({ title, site, mcp, repository }: InstallSource): Values {
  return {
    site: withoutShell(site),
    https: site.startsWith('https:') ? withoutShell(site) : null,
    marketplace: marketplaceName({ title, baseUrl: site }),
    server: clientName(title),
    mcp: mcp === null ? null : withoutShell(mcp),
    cursorServerLink: mcp === null ? null : cursorServerLink(title, withoutShell(mcp)),
    ...repositoryValues(repository?.replace(/\.git$/, '') ?? null),
  };
}

/** Clients take `owner/name` for a repository on GitHub, and the address for others. Each has its own sign for a branch. */
function repositoryValues(repository: string | null): Values {
  if (repository === null) {
    return { repository, github: null, branch: null, codexSource: null, vscodeLink: null };
  }
  const { hostname, pathname } = new URL(repository);
  const github = hostname === 'github.com' ? pathname.slice(1) : null;
  const address = withoutShell(repository);
  const branch = `${github ?? `${address}.git`}#install`;
  return {
    repository: address,
    github,
    branch,
    codexSource: github === null ? `${address}.git --ref install` : `${github}@install`,
    vscodeLink: `vscode://chat-plugin/add-marketplace?ref=${encodeURIComponent(Buffer.from(branch).toString('base64'))}`,
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
