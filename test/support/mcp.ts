import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { Client as HandshakeClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as HandshakeStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HandshakeHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport as HandshakeStreams } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StdioServerTransport as ModernStreams } from '@modelcontextprotocol/server/stdio';
import { loadMcpCatalog, type McpCatalog } from '../../src/server/mcp/catalog.ts';
import { serveStdio } from '../../src/server/mcp/stdio.ts';
import type { SmallAgent } from './catalog.ts';
import { bin, inherited } from './process.ts';

/** What the official clients of both eras have in common, as far as the tests use it. */
export interface AnyClient {
  getServerCapabilities(): Record<string, unknown> | undefined;
  getServerVersion(): { name: string; version: string } | undefined;
  getInstructions(): string | undefined;
  listTools(): Promise<{ tools: { name: string; inputSchema: object; outputSchema?: object; description?: string }[] }>;
  callTool(call: { name: string; arguments?: object }): Promise<ToolAnswer>;
  listResources(page?: { cursor?: string }): Promise<{ resources: { uri: string }[]; nextCursor?: string }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(of: { uri: string }): Promise<{ contents: { uri: string; mimeType?: string; text: string }[] }>;
  listPrompts(page?: { cursor?: string }): Promise<{ prompts: { name: string; arguments?: object[] }[] }>;
  getPrompt(of: {
    name: string;
    arguments?: Record<string, string>;
  }): Promise<{ messages: { content: { text: string } }[] }>;
  complete(of: object): Promise<{ completion: { values: string[]; total?: number; hasMore?: boolean } }>;
  close(): Promise<void>;
}

export interface ToolAnswer {
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

const info = { name: 'test-client', version: '1.0.0' };

/** The catalog of a build, as the MCP server has it. */
export async function mcpCatalog(dist: string): Promise<McpCatalog> {
  const { moved } = JSON.parse(await readFile(join(dist, 'build.json'), 'utf8'));
  return loadMcpCatalog((path) => readFile(join(dist, path)).catch(() => null), moved);
}

/**
 * A server over stdio within this process: what is written to `input` is answered on `output`. It looks often whether
 * `catalog` gives another one.
 */
export function stdioHere(catalog: McpCatalog | (() => McpCatalog)): {
  input: PassThrough;
  output: PassThrough;
  ended: Promise<void>;
} {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = serveStdio({
    input,
    write: async (line) => void output.write(line),
    catalog: async () => (typeof catalog === 'function' ? catalog() : catalog),
    lookMs: 5,
    onBug: (error) => output.destroy(error as Error),
  }).then(() => void output.end());
  return { input, output, ended };
}

/** Connects a client of 2026-07-28, which finds the revision out itself, or one that begins with a handshake. */
export async function connect(
  era: 'modern' | 'handshake',
  to: { url: string } | { catalog: McpCatalog | (() => McpCatalog) },
  onChanged?: (list: string) => void,
): Promise<AnyClient> {
  if ('url' in to) {
    const url = new URL(to.url);
    return era === 'modern'
      ? connectModern(new ModernHttp(url), onChanged)
      : connectHandshake(new HandshakeHttp(url), onChanged);
  }
  const { input, output } = stdioHere(to.catalog);
  // The transports of the SDKs over two streams are named after the server's side; the client's does the same.
  return era === 'modern'
    ? connectModern(new ModernStreams(output, input), onChanged)
    : connectHandshake(new HandshakeStreams(output, input), onChanged);
}

/** Connects a client of the handshake era to `catalog mcp`, which it starts as a process. */
export function connectProcess(folder: string): Promise<AnyClient> {
  return connectHandshake(
    new HandshakeStdio({
      command: process.execPath,
      args: [bin, 'mcp', '--cwd', folder, '--today', '2026-02-01'],
      env: inherited() as Record<string, string>,
      stderr: 'ignore',
    }),
  );
}

/** The options of a client that wants to know when lists change. It does not get them on its own. */
function listening(onChanged: ((list: string) => void) | undefined) {
  if (onChanged === undefined) return {};
  const handlers = ['tools', 'prompts', 'resources'].map((list) => [
    list,
    { autoRefresh: false, debounceMs: 0, onChanged: () => onChanged(list) },
  ]);
  return { listChanged: Object.fromEntries(handlers) };
}

async function connectModern(transport: object, onChanged?: (list: string) => void): Promise<AnyClient> {
  const client = new ModernClient(info, { versionNegotiation: { mode: 'auto' }, ...listening(onChanged) });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client as unknown as AnyClient;
}

async function connectHandshake(transport: object, onChanged?: (list: string) => void): Promise<AnyClient> {
  const client = new HandshakeClient(info, listening(onChanged));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client as unknown as AnyClient;
}

/** A catalog whose agents differ in everything that can be asked for. */
export const agents: SmallAgent[] = [
  {
    slug: 'first-draft',
    date: '2026-01-01',
    front: { issue: '1', title: 'First Draft', category: 'writing', tags: '[letters]' },
  },
  {
    slug: 'table-sorter',
    date: '2026-01-02',
    front: {
      issue: '2',
      title: 'Table Sorter',
      difficulty: 'hard',
      runtimes: '[ChatGPT]',
      tags: '[tables, letters]',
      formerSlugs: '[sheet-sorter]',
    },
  },
  { slug: 'withdrawn-one', date: '2026-01-03', front: { issue: '3', withdrawn: 'It never worked.' } },
  {
    slug: 'log-reader',
    date: '2026-01-04',
    front: {
      title: 'Log Reader',
      excerpt: 'Finds the first line of a log that tells why a nightly build of the program failed.',
    },
  },
];
