import { isIP } from 'node:net';
import { onceForLast } from '../../lib/lazy.ts';
import { programVersion } from '../../program.ts';
import { toJson } from '../../schema/documents.ts';
import { cardPath, type InstallWay, protocolVersions, type ServerCard } from '../../schema/mcp.ts';
import type { Settings } from '../../schema/settings.ts';
import { type InstallableAgent, mcpUrl, serverValues } from '../../text/install-ways.ts';
import { shortened } from '../../text/markdown-text.ts';
import { none, type Output, single } from '../output.ts';
import type { Site } from '../site.ts';

/** The ways to install an agent or, with null, the whole catalog, each with the id of its element on a page. */
export const installTabs = onceForLast(
  ({ installWays }: Pick<Site, 'installWays'>, agent: InstallableAgent | null): (InstallWay & { id: string })[] =>
    installWays(agent).map((way) => ({ id: `install-${way.name.toLowerCase().replaceAll(' ', '-')}`, ...way })),
);

/** The server card of the Model Context Protocol. */
const mcpCard = single(
  cardPath,
  'The MCP server card: the name and the address of the MCP server',
  ({ settings }) => toJson(serverCard(settings)),
  none,
);

/** The entry for the MCP registry, if there is a server. */
const registryEntry: Output = {
  path: 'server.json',
  purpose: 'The entry of the MCP server for the MCP registry, if there is a server',
  *files({ settings }) {
    const url = mcpUrl(settings);
    if (url === null) return;
    const { remotes: _, icons = [], ...card } = serverCard(settings);
    const entry = {
      ...card,
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      // The registry refuses all others.
      websiteUrl: card.websiteUrl.startsWith('https:') ? card.websiteUrl : undefined,
      repository: card.repository?.source === 'github' ? card.repository : undefined,
      icons: icons.filter(({ src }) => src.startsWith('https:') && src.length <= 255),
      remotes: [{ type: 'streamable-http', url }],
    };
    yield { path: 'server.json', inputs: none(), render: () => toJson(entry) };
  },
};

type Named = Pick<Settings, 'title' | 'tagline' | 'baseUrl' | 'runtimeUrl' | 'mcpName' | 'repository'>;

/** The name of the MCP server: the setting or, by default, the reversed host of the base URL and `/agents`. */
export function mcpName({ mcpName, baseUrl }: Pick<Settings, 'mcpName' | 'baseUrl'>): string {
  if (mcpName !== undefined) return mcpName;
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  const namespace = isIP(host) === 0 ? host.split('.').filter(Boolean).reverse().join('.') : host;
  return `${namespace.replace(/[^a-zA-Z0-9.-]/g, '-')}/agents`;
}

/** The card as an object. It names no remote without a server. */
export function serverCard(settings: Named): ServerCard {
  const url = mcpUrl(settings);
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: mcpName(settings),
    version: programVersion,
    title: settings.title,
    description: shortened(settings.tagline, 100),
    websiteUrl: settings.baseUrl,
    icons: [{ src: `${settings.baseUrl}/assets/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
    ...(settings.repository === undefined ? {} : { repository: repositoryOf(settings.repository) }),
    ...(url === null
      ? {}
      : { remotes: [{ type: 'streamable-http' as const, url, supportedProtocolVersions: [...protocolVersions] }] }),
  };
}

/** The repository as the card names it, with the name of its host. */
function repositoryOf(url: string): { url: string; source: string } {
  const { hostname } = new URL(url);
  return { url, source: hostname === 'github.com' ? 'github' : hostname };
}

/**
 * How to connect clients to the MCP server of a publication; null without a server.
 *
 * Each client has an address that opens it or its site with everything filled in (`installUrl`), or null, the instruction
 * for readers (`say`), and the text to paste: a command or a part of a settings file.
 *
 * Commands contain only the name, made of letters, digits and hyphens, and the quoted address.
 */
export function mcpSetup(settings: Pick<Settings, 'title' | 'runtimeUrl'>) {
  const address = mcpUrl(settings);
  if (address === null) return null;
  const { server: name, mcp: url, cursorServerLink } = serverValues(settings.title, address);
  const enc = encodeURIComponent;
  // Desktop and web connect through the vendor's cloud, which cannot reach a private address.
  const connector = `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=${enc(settings.title)}&connectorUrl=${enc(url)}`;
  const command = (name: string, paste: string, say = 'Run this.') => ({ name, installUrl: null, say, paste });
  const clients = [
    command(
      'Claude Code',
      `claude mcp add --transport http ${name} "${url}"`,
      'Run this. Add --scope user to use it in all your projects.',
    ),
    {
      name: 'Claude Desktop and claude.ai',
      installUrl: url.startsWith('https:') ? connector : null,
      say: 'In Customize, Connectors, choose Add custom connector in the menu of + and paste the address. It must be a public https address.',
      paste: url,
    },
    command(
      'ChatGPT',
      url,
      'On the web, open Plugins, choose Add custom MCP server in the menu of +, paste the address, and choose No authentication. It must be a public https address.',
    ),
    {
      name: 'Cursor',
      installUrl: cursorServerLink,
      say: 'Open the link, or add this to .cursor/mcp.json.',
      paste: JSON.stringify({ mcpServers: { [name]: { url } } }, null, 2),
    },
    {
      name: 'VS Code',
      installUrl: `vscode:mcp/install?${enc(JSON.stringify({ name, type: 'http', url }))}`,
      say: 'Open the link, or add this to .vscode/mcp.json.',
      paste: JSON.stringify({ servers: { [name]: { type: 'http', url } } }, null, 2),
    },
    command('Codex', `codex mcp add ${name} --url "${url}"`),
    command('Gemini CLI', `gemini mcp add --transport http ${name} "${url}"`),
    command('Copilot CLI', `copilot mcp add --transport http ${name} "${url}"`),
    command('opencode', `opencode mcp add ${name} --url "${url}"`),
  ];
  return {
    url,
    // The id is of the client's element on a page.
    clients: clients.map((client) => ({ id: `mcp-${client.name.toLowerCase().replace(/[^a-z]+/g, '-')}`, ...client })),
  };
}

export const mcpOutputs: readonly Output[] = [mcpCard, registryEntry];
