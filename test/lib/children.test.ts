import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runChild } from '../../src/lib/children.ts';
import { root } from '../support/process.ts';

/** How the program starts others. record/command and deploy/deploy test that none of them outlives it. */

test('a program that cannot be started is an outcome, not an exception', async () => {
  const missing = await runChild('/nowhere/node', ['x'], { maxBytes: 10 });
  assert.is((missing.failure as NodeJS.ErrnoException).code, 'ENOENT');
  const tooLong = await runChild(process.execPath, ['x'.repeat(4_000_000)], { maxBytes: 10 });
  assert.is((tooLong.failure as NodeJS.ErrnoException).code, 'E2BIG');
});

test('no other module starts processes, except git commands that only read', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const starting = files.filter(
    (file) =>
      /\.ts$/.test(file) &&
      /^import (?!type).*'node:child_process'/m.test(readFileSync(join(root, 'src', file), 'utf8')),
  );
  assert.equal(starting.sort(), ['lib/children.ts', 'lib/git.ts']);
});

test.run();
