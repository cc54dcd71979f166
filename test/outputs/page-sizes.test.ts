import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../src/calendar.ts';
import { maxSummaryBytes, writeSummary } from '../../src/github/step-files.ts';
import type { McpCatalog } from '../../src/mcp/catalog.ts';
import { complete } from '../../src/mcp/completion.ts';
import { nearestSlugs } from '../../src/mcp/find.ts';
import { listPage, type Page, pageOf } from '../../src/mcp/pages.ts';
import { keptResults } from '../../src/mcp/results.ts';
import { serveStdio } from '../../src/mcp/stdio.ts';
import { callTool } from '../../src/mcp/tools.ts';
import { siteRules } from '../../src/outputs/hosting/site-rules.ts';
import { archiveAddresses } from '../../src/outputs/pages/archive.ts';
import { groupAddresses } from '../../src/outputs/pages/groups.ts';
import { commonTags } from '../../src/outputs/shared/groups.ts';
import type { Site } from '../../src/outputs/site.ts';
import { FileCache } from '../../src/server/file-cache.ts';
import { inFolder, smallSettings } from '../support/catalog.ts';

/** How much goes into one page, answer or cache entry: just as much as fits, and one more. */

const times = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at));

/** A site of so many agents, one a day from 2026 on, newest first. */
function siteOf(count: number): Site {
  const agents = times(count, (at) => ({ date: addDays('2026-01-01', at), category: 'coding', tags: ['small'] }));
  const url = { absolute: (path: string) => path };
  return { settings: smallSettings, url, agents: agents.reverse() } as unknown as Site;
}

const lists: [count: number, pages: number[], archive: number[]][] = [
  [1, [1], [1]],
  [99, [99], [99]],
  [100, [100], [100]],
  [101, [100, 1], [101]],
  [199, [100, 99], [199]],
  [200, [100, 100], [200]],
  // 181 days of January to June, and 20 of July.
  [201, [100, 100, 1], [20, 201, 20, 30, 31, 30, 31, 28, 31]],
];

for (const [count, pages, archive] of lists) {
  test(`${count} agents make ${pages.length} pages of a category, ${archive.length} of the archive`, () => {
    const found = [archiveAddresses, groupAddresses].flatMap((addresses) => [...addresses(siteOf(count))]);
    const sizes = (start: string) =>
      found.filter(({ path }) => path.startsWith(start)).map(({ path, agents }) => [path, agents.length]);
    const expected = (start: string) => pages.map((size, at) => [at === 0 ? start : `${start}/${at + 1}`, size]);
    assert.equal(sizes('categories'), expected('categories/coding'));
    assert.equal(sizes('tags'), expected('tags/small'));
    assert.equal(
      sizes('archive').map(([, size]) => size),
      archive,
    );
  });
}

test('60 tags are offered, those that most agents have', () => {
  const tags = (count: number) => times(count, (at) => `tag-${String(at).padStart(3, '0')}`);
  const offered = (count: number) =>
    commonTags({ agents: [{ tags: tags(count) }, { tags: tags(count).slice(1) }] } as unknown as Site).map(
      ({ key }) => key,
    );
  assert.equal(offered(60), tags(60));
  assert.equal(offered(61), tags(61).slice(1));
});

/** Agents with these numbers. */
const numbered = (issues: number[]) => issues.map((issue) => ({ issue }));
const down = (from: number) => times(from, (at) => from - at);

/** How many are on each page when a client follows the cursors to the end. */
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
      walk(count, (cursor) => pageOf(items, cursor, size) as Page<{ issue: number }>),
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
      walk(count, (cursor) => listPage(items, cursor)),
      pages,
    );
  }
});

test('a cursor is exactly what the server gives out', () => {
  const cursor = (text: string) => Buffer.from(text, 'latin1').toString('base64url');
  const items = numbered([7, 5, 1]);
  const issues = (given: string) => pageOf(items, given, 9)?.items.map(({ issue }) => issue);
  // The agent that it names may be gone; at the end nothing follows.
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

test('a completion holds 100 values and says whether there are more', () => {
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

test('for a wrong slug the three nearest ones are named, the nearest first', () => {
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
  assert.match(await explained(20), '`k19`');
  assert.is(await explained(21), 'list_agents takes at most 20 arguments; these are 21.');
});

test('a line of stdin has up to 256 KiB, however it is cut into chunks', async () => {
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
      catalog: async () => ({ results: keptResults() }) as McpCatalog,
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

test('answers up to 1 MiB to requests up to 1 KiB are kept, 32 MiB of them', () => {
  const results = keptResults();
  const keep = (key: string, bytes: number) => {
    results.keep(key, Buffer.alloc(bytes));
    return results.get(key) !== undefined;
  };
  const mebibyte = 1_048_576;
  assert.equal([keep('a', mebibyte), keep('b', mebibyte + 1)], [true, false]);
  assert.equal([keep('k'.repeat(1024), 1), keep('k'.repeat(1025), 1)], [true, false]);
  const full = keptResults();
  // 32 answers, each with its key as large as may be, are 32 MiB.
  const keys = times(33, (at) => String(at).padStart(1024, '0'));
  for (const key of keys.slice(0, 32)) full.keep(key, Buffer.alloc(mebibyte - 1024));
  assert.ok(keys.slice(0, 32).every((key) => full.get(key) !== undefined));
  full.keep(keys[32] as string, Buffer.alloc(1));
  assert.equal([full.get(keys[0] as string), full.get(keys[1] as string) === undefined], [undefined, false]);
});

test('files up to 8 MiB are kept in memory, and those from 512 bytes on compressed', () =>
  inFolder(async (folder) => {
    mkdirSync(join(folder, 'agents'));
    const sized = (name: string, bytes: number) => {
      writeFileSync(join(folder, name), '');
      truncateSync(join(folder, name), bytes);
    };
    sized('llms.txt', 8_388_608);
    sized('llms-full.txt', 8_388_609);
    sized('feed.xml', 511);
    sized('atom.xml', 512);
    const cache = new FileCache(
      { roots: [folder], removed: new Set() },
      { baseUrl: 'http://localhost', runtimeUrl: null },
      siteRules,
    );
    assert.is.not(await cache.get('llms.txt'), 'large');
    assert.is(await cache.get('llms-full.txt'), 'large');
    const isCompressed = async (name: string) => {
      const file = await cache.get(name);
      if (file === null || file === 'large') return null;
      return (await cache.variant(name, file, 'gzip')) !== file.plain;
    };
    assert.equal([await isCompressed('feed.xml'), await isCompressed('atom.xml')], [false, true]);
  }));

test('a summary of a step takes what still fits, and says how much does not', () =>
  inFolder((folder) => {
    const written = (file: string, blocks: string[]) => {
      writeSummary({ GITHUB_STEP_SUMMARY: join(folder, file) }, blocks);
      return readFileSync(join(folder, file), 'utf8');
    };
    const block = 'x'.repeat(maxSummaryBytes - 3);
    assert.is(written('whole', [block, 'y']).length, maxSummaryBytes);
    assert.match(written('over', [block, 'yy']), /…and 1 more, which/);
    written('earlier', ['z']);
    assert.match(written('earlier', [`${block}x`]), /^z\n\n…and 1 more, which/);
    assert.is(maxSummaryBytes, 921_600);
  }));

test.run();
