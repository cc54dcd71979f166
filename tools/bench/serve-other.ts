/**
 * A server to compare with, in a process of its own: `bare <answers>` answers from memory with node:http, `sirv <dist>`
 * is sirv on polka, `sdk <dist>` is an MCP server of the official SDK, `group-commit <data>` only stores votes, and
 * `unkept <dist> <data>`, `one-sync <dist> <data>` and `one-insert <dist> <data> <url>` are the server with another vote
 * store.
 *
 * It is bundled as `catalog serve` is, and says where it serves as that does.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import polka from 'polka';
import sirv from 'sirv';
import type { StoredVote, VoteStore } from '../../src/storage/vote.ts';
import { groupCommitAlone } from './group-commit.ts';

/** What `bare` answers with, by path. */
export type Answers = Record<string, { status: number; headers: string[]; body: string }>;

const makers: Record<string, (args: string[]) => RequestListener | Promise<RequestListener>> = {
  bare: ([file = '']) => bare(JSON.parse(readFileSync(file, 'utf8')) as Answers),
  sirv: ([dist = '']) => polka().use(sirv(dist, { etag: true, brotli: true })).handler as unknown as RequestListener,
  sdk: ([dist = '']) => sdk(dist),
  'group-commit': ([data = '']) => groupCommitAlone(join(data, 'votes.jsonl')),
  unkept: ([dist = '', data = '']) => runtime(dist, data, unkept()),
  'one-insert': async ([dist = '', data = '', url = '']) => runtime(dist, data, await oneInsert(url)),
  'one-sync': async ([dist = '', data = '']) => runtime(dist, data, await oneSync(join(data, 'votes.jsonl'))),
};

const [kind = '', ...args] = process.argv.slice(2);
const make = makers[kind];
if (make === undefined) throw new Error(`There is no server ${kind}.`);
const server = createServer(await make(args));
server.listen(0, '127.0.0.1', () => {
  console.error(`Serving the catalog at http://localhost:${(server.address() as AddressInfo).port}/`);
});

function bare(recorded: Answers): RequestListener {
  const answers = new Map(
    Object.entries(recorded).map(([path, { status, headers, body }]) => [
      path,
      { status, headers, body: Buffer.from(body, 'base64') },
    ]),
  );
  return (request, response) => {
    const { status, headers, body } = answers.get(request.url as string) as {
      status: number;
      headers: string[];
      body: Buffer;
    };
    const answer = () => {
      response.writeHead(status, headers);
      response.end(status === 304 ? undefined : body);
    };
    if (request.method === 'POST') request.on('end', answer).resume();
    else answer();
  };
}

/** The three tools on the SDK, wired as its documentation has it, but with JSON for answers, which it is quicker with. */
async function sdk(dist: string): Promise<RequestListener> {
  const { loadMcpCatalog } = await import('../../src/server/mcp/catalog.ts');
  const { callTool } = await import('../../src/server/mcp/tools.ts');
  const shapes = await import('../../src/schema/mcp.ts');
  // Each file is read once, as the runtime does.
  const files = new Map<string, Promise<Buffer>>();
  const read = (path: string) => {
    const bytes = files.get(path) ?? readFile(join(dist, path));
    files.set(path, bytes);
    return bytes;
  };
  const catalog = await loadMcpCatalog(read, {});
  const run = (name: string) => async (given: object) =>
    (await callTool({ name, arguments: given as Record<string, unknown> }, catalog)) as {
      content: { type: 'text'; text: string }[];
    };
  const handler = createMcpHandler(
    () => {
      const made = new McpServer({ name: 'example/agents', version: '1.0.0' });
      for (const [name, { input, output }] of Object.entries(shapes.toolShapes)) {
        made.registerTool(name, { description: name, inputSchema: input, outputSchema: output }, run(name));
      }
      return made;
    },
    { responseMode: 'json' },
  );
  return toNodeHandler(handler) as unknown as RequestListener;
}

/** A store that keeps nothing and says so at once. */
function unkept(): VoteStore {
  const record = { id: '0', time: '2026-11-21T00:00:00Z', slug: 'none', vote: 'yes', voter: '0'.repeat(32) } as const;
  return {
    totals: async () => [],
    check: async () => {},
    append: async () => record,
    reopen: async () => {},
    close: async () => {},
  };
}

/** The vote log, which gets the next vote only when the one before is durable. */
async function oneSync(file: string): Promise<VoteStore> {
  const { openVoteLog } = await import('../../src/storage/file-votes.ts');
  const log = await openVoteLog({ file, now: () => new Date(), random: randomBytes, warn: console.error });
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...log,
    append(vote) {
      const done = last.then(() => log.append(vote));
      last = done.catch(() => {});
      return done;
    },
  };
}

/** A database that gets each vote in a statement of its own, over as many connections as usual. */
async function oneInsert(url: string): Promise<VoteStore> {
  const { openDatabase } = await import('../../src/storage/postgres.ts');
  const { insertVotes } = await import('../../src/storage/database-votes.ts');
  const { stamp } = await import('../../src/storage/vote.ts');
  const database = openDatabase({ url, warn: console.error });
  const secret = randomBytes(32);
  return {
    ...unkept(),
    async append(vote) {
      const records = stamp([vote], { at: new Date(), secret, random: randomBytes });
      await insertVotes(database, records);
      return records[0] as StoredVote;
    },
    close: () => database.close(),
  };
}

/** The runtime as src/server/app.ts puts it together, but for the votes. */
async function runtime(dist: string, data: string, votes: VoteStore): Promise<RequestListener> {
  const { createApp } = await import('../../src/server/app.ts');
  const { followBuild } = await import('../../src/server/build-follower.ts');
  const { siteRules } = await import('../../src/site/hosting/site-rules.ts');
  const { serverLog } = await import('../../src/server/log.ts');
  const { openSubscribers } = await import('../../src/mail/subscribers.ts');
  const { serverSettings } = await import('../../src/server/settings.ts');
  const settings = serverSettings({ voteRate: 'off', out: dist, data }, {}, process.cwd());
  const log = serverLog(settings.logLevel);
  const subscribers = await openSubscribers(settings.subscribers, { file: join(data, 'signups.jsonl'), log: log.log });
  return createApp({
    follower: await followBuild(dist, siteRules, log.log),
    votes,
    subscribers,
    consent: null,
    log,
    settings,
  });
}
