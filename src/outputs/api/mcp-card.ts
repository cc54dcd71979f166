import { isIP } from 'node:net';
import { shortened } from '../../agent-text/shortened.ts';
import { programVersion } from '../../program.ts';
import { toJson } from '../../schema/documents.ts';
import { cardPath, protocolVersions, type ServerCard } from '../../schema/mcp.ts';
import type { Settings } from '../../schema/settings.ts';
import { none, type Output, single } from '../output.ts';

/** The server card of the Model Context Protocol. */
export default single(
  cardPath,
  'The MCP server card: the name and the address of the MCP server',
  ({ settings }) => toJson(serverCard(settings)),
  none,
);

/** The entry for the MCP registry, if there is a server. */
export const registryEntry: Output = {
  path: 'server.json',
  purpose: 'The entry of the MCP server for the MCP registry, if there is a server',
  *files({ settings }) {
    const url = mcpUrl(settings);
    if (url === null) return;
    const { remotes: _, icons = [], ...card } = serverCard(settings);
    const entry = {
      ...card,
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      // The registry takes only these.
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
  const namespace = isIP(host) === 0 ? host.split('.').filter(Boolean).reverse().join('.') : host.replaceAll(':', '-');
  return `${namespace}/agents`;
}

/** The address of the MCP server, or null without a server. */
export function mcpUrl({ runtimeUrl }: Pick<Settings, 'runtimeUrl'>): string | null {
  return runtimeUrl === null ? null : `${runtimeUrl}/api/mcp`;
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
