import { fileURLToPath } from 'node:url';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as HandshakeClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as HandshakeStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HandshakeHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { SmallAgent } from '../support/catalog.ts';
import { inherited } from '../support/process.ts';

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
const bin = fileURLToPath(new URL('../../bin/catalog.js', import.meta.url));

/** Connects a client of 2026-07-28, which finds the revision out itself, or one that begins with a handshake. */
export async function connect(
  era: 'modern' | 'handshake',
  to: { url: string } | { folder: string },
): Promise<AnyClient> {
  const stdio = (folder: string) => ({
    command: process.execPath,
    args: [bin, 'mcp', '--cwd', folder, '--today', '2026-02-01'],
    env: inherited() as Record<string, string>,
    stderr: 'ignore' as const,
  });
  if (era === 'modern') {
    const client = new ModernClient(info, { versionNegotiation: { mode: 'auto' } });
    await client.connect('url' in to ? new ModernHttp(new URL(to.url)) : new ModernStdio(stdio(to.folder)));
    return client as unknown as AnyClient;
  }
  const client = new HandshakeClient(info);
  const transport = 'url' in to ? new HandshakeHttp(new URL(to.url)) : new HandshakeStdio(stdio(to.folder));
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
