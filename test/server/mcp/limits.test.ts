import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { McpCatalog } from '../../../src/server/mcp/catalog.ts';
import { keptResults, nearestSlugs, pageOf } from '../../../src/server/mcp/catalog.ts';
import { complete } from '../../../src/server/mcp/dispatch.ts';
import { serveStdio } from '../../../src/server/mcp/stdio.ts';
import { callTool } from '../../../src/server/mcp/tools.ts';

/** The limits of a page, an answer, a line and the cache of the MCP server: as much as fits, and one more. */

const times = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at));

/** Agents with these numbers. */
const numbered = (issues: number[]) => issues.map((issue) => ({ issue }));
const down = (from: number) => times(from, (at) => from - at);

/** Returns the numbers of agents on the pages that a client gets when it follows the cursors. */
function walk(
  count: number,
  read: (cursor: string | undefined) => { items: { issue: number }[]; nextCursor?: unknown },
) {
  const sizes: number[] = [];
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = read(cursor);
    sizes.push(items.length);
    seen.push(...items.map(({ issue }) => issue));
    cursor = nextCursor as string | undefined;
  } while (cursor !== undefined && sizes.length < 20);
  assert.equal(seen, down(count));
  return sizes;
}

test('following the cursors gives every agent once, and no empty page at the end', () => {
  const rows: [count: number, size: number, pages: number[]][] = [
    [0, 3, [0]],
    [2, 3, [2]],
    [3, 3, [3]],
    [4, 3, [3, 1]],
    [6, 3, [3, 3]],
    [7, 3, [3, 3, 1]],
    [3, 1, [1, 1, 1]],
  ];
  for (const [count, size, pages] of rows) {
    const items = numbered(down(count));
    assert.equal(
      walk(count, (cursor) => pageOf(items, cursor, size) as NonNullable<ReturnType<typeof pageOf>>),
      pages,
      `${count} by ${size}`,
    );
  }
  for (const [count, pages] of [
    [199, [199]],
    [200, [200]],
    [201, [200, 1]],
    [400, [200, 200]],
  ] as const) {
    const items = numbered(down(count));
    assert.equal(
      walk(count, (cursor) => pageOf(items, cursor) as NonNullable<ReturnType<typeof pageOf>>),
      pages,
    );
  }
});

test('a draft that a preview shows between older agents is on a page, too', () => {
  const issues = [8, 5, 6, 2];
  const pages = [undefined, 8, 5, 6].map((last) => {
    const cursor = last === undefined ? last : Buffer.from(`before ${last}`).toString('base64url');
    return pageOf(numbered(issues), cursor, 1)?.items.map(({ issue }) => issue);
  });
  assert.equal(pages.flat(), issues);
});

test('only cursors exactly as the server returns them are accepted', () => {
  const cursor = (text: string) => Buffer.from(text, 'latin1').toString('base64url');
  const items = numbered([7, 5, 1]);
  const issues = (given: string) => pageOf(items, given, 9)?.items.map(({ issue }) => issue);
  // The agent in the cursor may be gone. The last page has no cursor.
  assert.equal(
    ['before 8', 'before 7', 'before 6', 'before 5', 'before 1', 'before 999999999'].map((text) =>
      issues(cursor(text)),
    ),
    [[7, 5, 1], [5, 1], [5, 1], [1], [], [7, 5, 1]],
  );
  const wrong = [
    'before 0',
    'before 01',
    'before -1',
    'before 1000000000',
    'before 5 ',
    'Before 5',
    'after 5',
    '5',
    '',
  ];
  assert.equal(
    [...wrong.map(cursor), `${cursor('before 5')}=`, ` ${cursor('before 5')}`, `${cursor('before 50')}+`].filter(
      (given) => issues(given) !== undefined,
    ),
    [],
  );
});

test('a completion has up to 100 values and says whether there are more', () => {
  const completionOf = (count: number) => {
    const bySlug = new Map(times(count, (at) => [`agent-${at}`, {}]));
    const ref = { type: 'ref/resource', uri: 'agent://{slug}' } as const;
    const catalog = { bySlug } as unknown as McpCatalog;
    return (complete({ ref, argument: { name: 'slug', value: 'agent' } }, catalog) as { completion: Completion })
      .completion;
  };
  type Completion = { values: string[]; total: number; hasMore: boolean };
  for (const [count, held, hasMore] of [
    [99, 99, false],
    [100, 100, false],
    [101, 100, true],
  ] as const) {
    const { values, ...rest } = completionOf(count);
    assert.equal([values.length, rest], [held, { total: count, hasMore }]);
  }
});

test('the three nearest slugs are suggested for a wrong one, nearest first', () => {
  const agents = ['log-reader-b', 'log-reader-c', 'log-reader-a', 'log-leader', 'table-sorter'].map((slug) => ({
    slug,
  }));
  const nearest = (wrong: string) => nearestSlugs({ agents } as unknown as McpCatalog, wrong);
  assert.equal(nearest(' Log Reader '), ['log-leader', 'log-reader-a', 'log-reader-b']);
  assert.equal(nearest('tabel-sorter'), ['table-sorter']);
  assert.equal(nearest('zzzz'), []);
});

test('up to 20 wrong arguments of a tool are explained one by one', async () => {
  const explained = async (count: number) => {
    const given = Object.fromEntries(times(count, (at) => [`k${at}`, 0]));
    const result = (await callTool({ name: 'list_agents', arguments: given }, {} as McpCatalog)) as {
      content: [{ text: string }];
    };
    return result.content[0].text;
  };
  const lines = (await explained(20)).split('\n');
  assert.equal([lines.length, lines.at(-1)?.includes('`k19`')], [20, true]);
  assert.is(await explained(21), 'list_agents takes at most 20 arguments; this call has 21.');
});

test('a line of stdin can have up to 256 KiB, in chunks of any size', async () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const lineOf = (bytes: number) => Buffer.from(ping + ' '.repeat(bytes - ping.length));
  const codesOf = async (chunks: Buffer[]) => {
    const codes: unknown[] = [];
    async function* input() {
      yield* chunks;
    }
    await serveStdio({
      input: input(),
      write: async (json) => void codes.push(JSON.parse(json.toString()).error?.code),
      catalog: async () => ({ promptDigests: async () => null as unknown, results: keptResults() }) as McpCatalog,
      onBug: (error) => codes.push(error),
    });
    return codes;
  };
  const end = Buffer.from('\n');
  const [whole, over] = [lineOf(262_144), lineOf(262_145)];
  const good = lineOf(100);
  assert.equal(await codesOf([Buffer.concat([whole, end, over, end, good])]), [undefined, -32000, undefined]);
  const cut = [whole, end, over.subarray(0, 262_144), over.subarray(262_144), end, over, end, good];
  assert.equal(await codesOf(cut), [undefined, -32000, -32000, undefined]);
});

test('a bug is reported to the operator over stdio too, and the next message is answered', async () => {
  const [answers, bugs]: [unknown[], unknown[]] = [[], []];
  async function* input() {
    for (const [id, method] of ['tools/list', 'ping'].entries()) {
      yield Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`);
    }
  }
  await serveStdio({
    input: input(),
    write: async (json) => void answers.push(JSON.parse(json.toString())),
    catalog: async () => ({ promptDigests: async () => null as unknown, results: keptResults() }) as McpCatalog,
    onBug: (error) => bugs.push(error),
  });
  const error = { code: -32603, message: 'The server failed. The error is in its log.' };
  assert.equal(answers, [
    { jsonrpc: '2.0', id: null, error },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
  assert.is(bugs.length, 1);
  assert.instance(bugs[0], TypeError);
});

test('results with their keys are kept until they take 32 MiB together, and none of more than 1 MiB', () => {
  const results = keptResults();
  const mebibyte = 1024 * 1024;
  results.set('large', 'x'.repeat(mebibyte - 4));
  assert.is(results.get('large'), undefined);
  for (let index = 0; index < 32; index += 1) results.set(String(index).padStart(2, '0'), 'x'.repeat(mebibyte - 2));
  assert.equal([results.size, results.get('00')?.length], [32, mebibyte - 2]);
  // The one that was not used for the longest time makes room.
  results.set('s', '');
  assert.equal([results.get('01'), results.get('00')?.length, results.get('s')], [undefined, mebibyte - 2, '']);
});

test.run();
