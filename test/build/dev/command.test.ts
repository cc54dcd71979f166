import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';
import { onTerminal } from '../../support/terminal.ts';

/** What `catalog dev` prints, and how it ends. */

const agents = [{ slug: 'one', date: '2026-01-01' }];

test('the terminal shows the address, each update, and errors until they are fixed; Ctrl-C ends it', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const file = join(folder, 'agents', 'one', 'agent.md');
    const text = readFileSync(file, 'utf8');
    // Node.js 22 and later keep what they compiled in TMPDIR.
    const env = { NO_COLOR: '1', TMPDIR: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
    const session = onTerminal(['dev', '--cwd', folder, '--port', '0'], { env });
    await session.sees('Preview at http://localhost:');
    writeFileSync(file, text.replace('difficulty: easy', 'difficulty: \u202eysae'));
    await session.sees('agents/one/agent.md:6:13  error  ');
    await session.sees('> 6 | difficulty: \ufffdysae');
    writeFileSync(file, text);
    await session.sees('All errors are fixed.');
    writeFileSync(file, text.replace('The one agent', 'Another title'));
    await session.sees('agents/one: updated in ');
    session.types('\u0003');
    const { code, screen } = await session.ends();
    assert.is(code, 0);
    assert.equal(screen.match(/All errors are fixed/g), ['All errors are fixed']);
    assert.equal(readdirSync(folder).sort(), ['agents', 'catalog.config.json']);
  }));

const limits: [code: string, advice: string][] = [
  [
    'ENOSPC',
    'The system can watch no more files (ENOSPC), so all files are checked every second instead. On Linux, raise',
  ],
  [
    'ENFILE',
    'The system can open no more files (ENFILE), so all files are checked every second instead. Raise the limit with',
  ],
];
for (const [code, advice] of limits) {
  test(`a limit of the system is named, with what raises it: ${code}`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, agents);
      const hook = join(folder, 'limit.mjs');
      writeFileSync(
        hook,
        `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.watch = () => {
  throw Object.assign(new Error('limit'), { code: '${code}' });
};
syncBuiltinESMExports();
`,
      );
      const env = { NODE_OPTIONS: `--import=${pathToFileURL(hook)}`, TMPDIR: folder };
      const session = onTerminal(['dev', '--cwd', folder, '--port', '0'], { env, columns: 300 });
      await session.sees(advice);
      session.types('\u0003');
      assert.is((await session.ends()).code, 0);
    }));
}

const ports: [given: string, flags: string[], env: NodeJS.ProcessEnv][] = [
  ['--port is "99999"', ['--port', '99999'], {}],
  ['--port is "abc"', ['--port', 'abc'], {}],
  ['PORT is "x"', [], { PORT: 'x' }],
];
for (const [given, flags, env] of ports) {
  test(`${given}: it ends with 2, and leaves no temporary folder behind`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, agents);
      const options = { env: { ...env, TMPDIR: folder } };
      const { code, stderr } = await catalog(['dev', '--cwd', folder, ...flags], options);
      assert.equal([code, stderr], [2, `error: ${given}; it has to be a port from 0 to 65535 (0: any free one).\n`]);
      assert.equal(readdirSync(folder).sort(), ['agents', 'catalog.config.json']);
    }));
}

test('a port in use, here the one of PORT, ends it with 1 and a sentence, and leaves nothing behind', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as AddressInfo;
    try {
      const env = { PORT: String(port), TMPDIR: folder };
      const { code, stderr } = await catalog(['dev', '--cwd', folder], { env });
      assert.is(code, 1);
      assert.is(
        stderr,
        `error: Port ${port} of 127.0.0.1 is already in use. Choose another one with --port or the variable PORT, or 0 for any free port.\n`,
      );
      assert.equal(readdirSync(folder).sort(), ['agents', 'catalog.config.json']);
    } finally {
      other.close();
    }
  }));

test.run();
