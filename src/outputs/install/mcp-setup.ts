import { clientName, withoutShell } from '../../agent-text/client-names.ts';
import { cursorServerLink } from '../../agent-text/install-ways.ts';
import type { Settings } from '../../schema/settings.ts';
import { mcpUrl } from '../api/mcp-card.ts';

/** How to connect a client to the MCP server. */
export interface McpClient {
  name: string;
  /** The id of its element on a page. */
  id: string;
  /** An address that opens the client or its site with everything filled in; null if there is none. */
  installUrl: string | null;
  /** The instruction for readers. */
  say: string;
  /** The text to paste: a command or a part of a settings file. */
  paste: string;
}

/**
 * How to connect clients to the MCP server of a publication; null without a server.
 *
 * Commands contain only the name, made of letters, digits and hyphens, and the quoted address.
 */
export function mcpSetup(
  settings: Pick<Settings, 'title' | 'runtimeUrl'>,
): { url: string; clients: McpClient[] } | null {
  const address = mcpUrl(settings);
  if (address === null) return null;
  const url = withoutShell(address);
  const name = clientName(settings.title);
  const enc = encodeURIComponent;
  const named = { name, type: 'http', url };
  // Desktop and web connect through the vendor's cloud, which cannot reach a private address.
  const connector = `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=${enc(settings.title)}&connectorUrl=${enc(url)}`;
  const clients: Omit<McpClient, 'id'>[] = [
    {
      name: 'Claude Code',
      installUrl: null,
      say: 'Run this. Add --scope user to use it in all your projects.',
      paste: `claude mcp add --transport http ${name} "${url}"`,
    },
    {
      name: 'Claude Desktop and claude.ai',
      installUrl: url.startsWith('https:') ? connector : null,
      say: 'In Settings, Connectors, choose Add custom connector and paste the address. It must be a public https address.',
      paste: url,
    },
    {
      name: 'Cursor',
      installUrl: cursorServerLink(settings.title, url),
      say: 'Open the link, or add this to .cursor/mcp.json.',
      paste: pretty({ mcpServers: { [name]: { url } } }),
    },
    {
      name: 'VS Code',
      installUrl: `vscode:mcp/install?${enc(JSON.stringify(named))}`,
      say: 'Open the link, or add this to .vscode/mcp.json.',
      paste: pretty({ servers: { [name]: { type: 'http', url } } }),
    },
    {
      name: 'Codex',
      installUrl: null,
      say: 'Run this.',
      paste: `codex mcp add ${name} --url "${url}"`,
    },
    {
      name: 'Gemini CLI',
      installUrl: null,
      say: 'Run this.',
      paste: `gemini mcp add --transport http ${name} "${url}"`,
    },
  ];
  return {
    url,
    clients: clients.map((client) => ({ id: `mcp-${client.name.toLowerCase().replace(/[^a-z]+/g, '-')}`, ...client })),
  };
}

function pretty(value: object): string {
  return JSON.stringify(value, null, 2);
}
