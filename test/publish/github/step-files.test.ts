import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { maxSummaryBytes, writeOutputs, writeSummary } from '../../../src/publish/github.ts';
import { inFolder } from '../../support/catalog.ts';

/** The summaries of a step stay within the limits of GitHub. */

test('a summary of a step contains everything that fits, and says how much does not', () =>
  inFolder((folder) => {
    const written = (file: string, blocks: string[]) => {
      writeSummary({ GITHUB_STEP_SUMMARY: join(folder, file) }, blocks);
      return readFileSync(join(folder, file), 'utf8');
    };
    const block = 'x'.repeat(maxSummaryBytes - 3);
    assert.is(written('whole', [block, 'y']).length, maxSummaryBytes);
    // What comes later is less important, even if it is shorter.
    assert.match(written('first', ['a', `${block}x`, 'b']), /^a\n\n…and 2 more, which/);
    assert.match(written('over', [block, 'yy']), /…and 1 more, which/);
    written('earlier', ['z']);
    assert.match(written('earlier', [`${block}x`]), /^z\n\n…and 1 more, which/);
    assert.match(written('wide', ['é'.repeat(maxSummaryBytes / 2)]), /^\n…and 1 more, which/);
    assert.is(maxSummaryBytes, 921_600);
    const missing = join(folder, 'missing/file');
    assert.throws(() => written('missing/file', ['a']), /^GITHUB_STEP_SUMMARY \(.*missing\/file\) cannot be written: /);
    assert.throws(() => writeOutputs({ GITHUB_OUTPUT: missing }, { id: 'a' }), /^GITHUB_OUTPUT \(/);
  }));

test('outside a step, nothing is written', () => {
  for (const environment of [{}, { GITHUB_OUTPUT: '', GITHUB_STEP_SUMMARY: '' }]) {
    writeOutputs(environment, { slug: 'one' });
    writeSummary(environment, ['a']);
  }
});

test.run();
