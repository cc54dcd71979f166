import { modernVersion } from '../../src/schema/mcp.ts';
import { loadMcpCatalog, type McpCatalog } from '../../src/server/mcp/catalog.ts';
import { dispatch, type Reply } from '../../src/server/mcp/dispatch.ts';

/** Answers about a catalog in memory. */

/**
 * Loads the catalog of a build without the files in `gone`, and records the paths of the files that were read.
 */
export async function loadBuild(
  files: ReadonlyMap<string, Buffer>,
  gone: readonly string[] = [],
): Promise<{ catalog: McpCatalog; read: string[] }> {
  const read: string[] = [];
  const readFile = async (path: string) => {
    read.push(path);
    return gone.includes(path) ? null : (files.get(path) ?? null);
  };
  const catalog = await loadMcpCatalog(readFile, { 'formerly-rich': 'rich' });
  read.length = 0;
  return { catalog, read };
}

/** What a request says about its client. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends a request and returns the answer. */
export async function ask(catalog: McpCatalog, method: string, params: object = {}, meta: object = envelope) {
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
  return parsedReply(await dispatch(message, null, catalog));
}

/** Calls a tool and returns the answer. */
export const askTool = (catalog: McpCatalog, name: string, given: object) =>
  ask(catalog, 'tools/call', { name, arguments: given });

/** The JSON of a reply. It is a text with a character for each byte. */
export function parsedReply({ json }: Reply) {
  return JSON.parse(Buffer.from(json ?? 'null', 'latin1').toString('utf8'));
}
