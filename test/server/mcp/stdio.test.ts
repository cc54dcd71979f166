import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { commitAt, gitSync } from '../../support/git.ts';
import { agents, mcpCatalog, stdioHere } from '../../support/mcp.ts';
import { bin, catalog, catalogProcess, inherited } from '../../support/process.ts';
import { builtCatalog } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { written } from '../../support/written.ts';

/** An assistant that starts `catalog mcp` as a process relies on this. */

const request = (method: string, params: object = {}, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const modern = {
  _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
};

const lines = [
  'nonsense',
  '',
  `${request('initialize', { protocolVersion: '2024-11-05' }, 'a')}\r`,
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  `"${'x'.repeat(300_000)}"`,
  request('no/method', {}, 2),
  request('server/discover', modern, 3),
  request('ping', modern, 4),
  request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '1999-01-01' } }, 5),
  `[${request('ping', {}, 6)}]`,
  '[]',
  request('ping', {}, 7),
];
const answers = [
  [null, -32700],
  ['a', undefined],
  [null, -32000],
  [2, -32601],
  [3, undefined],
  [4, -32601],
  [5, -32602],
  [6, undefined],
  [null, -32600],
  [7, undefined],
];

/** Returns the id and the error of each answer. Fails if a line is not a message. */
function answersIn(output: string): unknown[] {
  return output
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line))
    .map(({ id, error }) => [id, error?.code]);
}

test('survives bad lines, answers in order, writes only messages, and exits when its input ends', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const ended = await catalogProcess(['mcp', '--cwd', folder, '--today', '2026-02-01'], { input: lines.join('\n') });
    assert.is(ended.code, 0, ended.stderr);
    assert.equal(answersIn(ended.stdout), answers);
    assert.match(ended.stderr, 'dist has none');
    assert.not.ok(existsSync(join(folder, 'dist')));
  });
});

test('lines may come in pieces of any size', async () => {
  await inFolder(async (folder) => {
    const built = await mcpCatalog(builtCatalog(folder, agents));
    const bytes = Buffer.from(lines.join('\n'));
    for (const size of [7, 1000, 65_536, bytes.length]) {
      const { input, output, ended } = stdioHere(built);
      for (let start = 0; start < bytes.length; start += size) input.write(bytes.subarray(start, start + size));
      input.end();
      await ended;
      assert.equal(answersIn(written(output)), answers, `pieces of ${size}`);
    }
  });
});

test('a catalog that cannot be built is reported only on stderr', async () => {
  await inFolder(async (folder) => {
    const ended = await catalog(['mcp', '--cwd', folder]);
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, 'There is no catalog.config.json');
  });
});

/** What was said on stderr, and a request that is answered. */
interface Running {
  said(): string;
  asks(): Promise<unknown>;
}

/** Rows of: what is served, how it is made of some agents, how it breaks, and how it becomes another. */
const served: [
  name: string,
  begin: (folder: string) => void,
  spoil: (folder: string, running: Running) => Promise<void>,
  change: (folder: string) => void,
][] = [
  [
    'the existing build, and switches to the next one that is whole',
    (folder) => void builtCatalog(folder, agents.slice(0, 1)),
    async (folder, { said }) => {
      writeFileSync(join(folder, 'dist/build.json'), '{}');
      await until(() => said().includes('still serving the last good one'));
      rmSync(join(folder, 'dist'), { recursive: true });
    },
    (folder) => void builtCatalog(folder, agents),
  ],
  [
    'the catalog in a clone, and switches to a commit that is pulled and can be built',
    (folder) => {
      writeCatalog(folder, agents.slice(0, 1));
      gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
      commitAt(folder, '2026-02-01T12:00:00Z');
    },
    async (folder, { said, asks }) => {
      writeFileSync(join(folder, 'catalog.config.json'), '{');
      commitAt(folder, '2026-02-01T13:00:00Z');
      await until(() => said().includes('Cannot build'));
      await asks();
      const [first, ...more] = said().match(/Cannot build the catalog .*? serving the one for 2026-02-03\./g) ?? [];
      assert.equal([first?.slice(0, 39), more], ['Cannot build the catalog for 2026-02-03', []]);
    },
    (folder) => {
      writeCatalog(folder, agents);
      commitAt(folder, '2026-02-02T12:00:00Z');
    },
  ],
];
for (const [name, begin, spoil, change] of served) {
  test(`serves ${name}, says so, and exits on SIGTERM`, async () => {
    await inFolder(async (folder) => {
      begin(folder);
      const args = ['mcp', '--cwd', folder, '--out', join(folder, 'dist'), '--today', '2026-02-03'];
      const child = spawn(process.execPath, [bin, ...args], { env: inherited() });
      try {
        let [output, said] = ['', ''];
        child.stderr.setEncoding('utf8').on('data', (text) => {
          said += text;
        });
        child.stdout.setEncoding('utf8').on('data', (text) => {
          output += text;
        });
        const messages = () =>
          output
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line));
        const prompts = async (id: number) => {
          child.stdin.write(`${request('prompts/list', {}, id)}\n`);
          await until(() => messages().some((message) => message.id === id));
          const { result } = messages().find((message) => message.id === id);
          return result.prompts.map(({ name }: { name: string }) => name);
        };
        child.stdin.write(`${request('initialize', { protocolVersion: '2025-11-25' }, 0)}\n`);
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
        assert.equal(await prompts(1), ['first-draft']);
        await spoil(folder, { said: () => said, asks: () => prompts(3) });
        change(folder);
        const told = () => messages().flatMap(({ method }) => method ?? []);
        await until(() => told().length === 3);
        assert.equal(
          told(),
          ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`),
        );
        assert.equal(await prompts(2), ['log-reader', 'table-sorter', 'first-draft']);
        const ended = once(child, 'close');
        child.kill('SIGTERM');
        assert.equal((await ended)[0], 0);
      } finally {
        child.kill('SIGKILL');
      }
    });
  });
}

test.run();
