import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCatalog } from '../../src/build/validate.ts';
import { inFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { evalsFiles } from '../support/evals.ts';
import { gitSync } from '../support/git.ts';

/** A recorded answer is compared with the one on the default branch, from which the checked-out branch started. */

const answers = 'agents/one/evals/recordings/other';
const wrong = 'Odd: nothing\n';

/** The rows of the report about answers that became worse. */
async function reported(folder: string): Promise<string[]> {
  const { diagnostics } = await checkCatalog(folder, { today: '2026-02-01' }, {});
  return diagnostics
    .filter(({ code }) => code === 'editorial/regression')
    .map(({ file, message }) => `${file}: ${message}`);
}

test('only a new answer that fails a check which the old one passed is reported, as severely as the settings say', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files: evalsFiles }]);
    const config = readFileSync(join(folder, 'catalog.config.json'), 'utf8');
    assert.equal(await reported(folder), [], 'without git');
    gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
    gitSync(folder, 'add', '.');
    gitSync(folder, 'commit', '--quiet', '--message', 'Record');
    gitSync(folder, 'switch', '--quiet', '--create', 'change');
    assert.equal(await reported(folder), [], 'unchanged, although two answers fail');
    writeFiles(folder, { [`${answers}/planted.txt`]: 'fine\n\n' });
    assert.equal(await reported(folder), [], 'a new answer that fails as the old one did');
    writeFiles(folder, { [`${answers}/sample.txt`]: wrong });
    const [regression = '', ...others] = await reported(folder);
    assert.equal(others, []);
    assert.is(
      regression,
      `${answers}/sample.txt: On main, the answer of Other, as its page says passes the check \`regex\`. This new answer fails it: Nothing in it matches.`,
    );
    for (const severity of ['error', 'warning', 'off']) {
      const settings = { ...JSON.parse(config), rules: { 'editorial/regression': severity } };
      writeFiles(folder, { 'catalog.config.json': JSON.stringify(settings) });
      const { diagnostics } = await checkCatalog(folder, { today: '2026-02-01' }, {});
      const found = diagnostics.filter(({ code }) => code === 'editorial/regression');
      assert.equal(
        found.map((diagnostic) => diagnostic.severity),
        severity === 'off' ? [] : [severity],
      );
    }
    writeFiles(folder, { 'catalog.config.json': config });
    gitSync(folder, 'commit', '--quiet', '--all', '--message', 'Record again');
    assert.equal(await reported(folder), [regression], 'committed on another branch');
    gitSync(folder, 'branch', '--force', 'main', 'change');
    assert.equal(await reported(folder), [], 'once it is on the default branch');
  }));

test('a changed check is not reported for an answer that stayed the same', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files: evalsFiles }]);
    gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
    gitSync(folder, 'add', '.');
    gitSync(folder, 'commit', '--quiet', '--message', 'Record');
    const checks = evalsFiles['evals/checks.yaml'].replace('contains: Odd', 'contains: Never');
    writeFiles(folder, { 'agents/one/evals/checks.yaml': checks });
    assert.equal(await reported(folder), []);
  }));

test('a later answer of a conversation is reported if it became worse, and the first one if it stayed the same is not', () =>
  inFolder(async (folder) => {
    const turns = '  turns:\n    - says: Once more.\n      checks:\n        - contains: Done\n';
    const checks = evalsFiles['evals/checks.yaml'].replace('planted:', `${turns}planted:`);
    const later = Object.fromEntries(
      ['other', 'some-model'].map((model) => [`evals/recordings/${model}/sample.turn-2.txt`, 'Done\n']),
    );
    writeCatalog(folder, [
      { slug: 'one', date: '2026-01-01', files: { ...evalsFiles, 'evals/checks.yaml': checks, ...later } },
    ]);
    gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
    gitSync(folder, 'add', '.');
    gitSync(folder, 'commit', '--quiet', '--message', 'Record');
    writeFiles(folder, {
      'agents/one/evals/checks.yaml': checks.replace('contains: Odd', 'contains: Never'),
      [`${answers}/sample.turn-2.txt`]: 'Not yet\n',
    });
    const [regression, ...others] = await reported(folder);
    assert.equal(others, []);
    assert.match(
      regression ?? '',
      `${answers}/sample.turn-2.txt: On main, the answer of Other, as its page says passes`,
    );
  }));

test.run();
