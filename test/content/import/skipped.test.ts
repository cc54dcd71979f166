import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { withImport } from '../../support/import.ts';
import { catalog } from '../../support/process.ts';

/** `catalog import` skips rows of other types, and only fails because of errors. */

const csv = 'act,prompt,type\nA,Count.,TEXT\nB,"c\nd",IMAGE\nC,e,STRUCTURED\n';
const only = 'only prompts of the type TEXT can be agents.';
const skipped = `Skipped: row 2 (line 3). Its type is IMAGE; ${only}\nSkipped: row 3 (line 5). Its type is STRUCTURED; ${only}\n`;

test('rows of another type are skipped, which is a success: in a dry run, the first run and a second one', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    writeFiles(folder, { 'a.csv': csv });
    const run = async (...flags: string[]) => {
      const args = ['import', 'a.csv', '--from', 'prompts-chat', ...flags];
      const { code, stderr } = await catalog(args, { cwd: folder });
      return [code, stderr];
    };
    assert.equal(await run('--dry-run'), [0, `${skipped}Would write 1 draft.\n`]);
    assert.equal(await run(), [
      0,
      `${skipped}Wrote 1 draft. Complete them, and run npx --no daily-agent-catalog validate.\n`,
    ]);
    assert.equal(await run(), [0, `${skipped}1 prompt imported earlier.\nWrote 0 drafts.\n`]);
  }));

test('a row with an error still makes the exit code 1, next to skipped ones', () =>
  withImport({ 'a.csv': `${csv}D, ,TEXT\n` }, async (run) => {
    const { code, result } = await run('a.csv', '--from', 'prompts-chat');
    assert.is(code, 1);
    assert.equal(
      result.skipped.map(({ where }) => where),
      ['row 2 (line 3)', 'row 3 (line 5)'],
    );
    assert.equal(result.problems, [{ where: 'row 4 (line 6)', problem: 'It is empty.' }]);
  }));

test.run();
