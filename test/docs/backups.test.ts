import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled, inFolder, snapshot, writeFiles } from '../support/catalog.ts';
import { run } from '../support/process.ts';

/** The nightly backup that docs/deploy.md installs, run with its folders below a temporary one. */

/** The files of a data folder that nothing can replace: votes, consent, and what was sent to whom. */
const irreplaceable = {
  'votes.jsonl': 'a vote\n',
  'votes.jsonl.1': 'an earlier vote\n',
  'signups.jsonl': 'a subscription\n',
  'suppressed.jsonl': 'an address that refuses mail\n',
  'mail.key': 'the key of all links\n',
  'announcements/daily-2026-11-20.jsonl': 'what was sent\n',
};
/** Made again when they are missing, or not to be kept. */
const expendable = {
  'votes.jsonl.lock': 'a process\n',
  'votes.jsonl.secret': 'the secret of a day\n',
  'mail-preview/daily.html': 'a preview\n',
};

test('a restored backup has every vote, subscription and announcement, and no secret of the voters', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'lib/catalog/data');
    mkdirSync(data, { recursive: true });
    writeFiles(data, { ...irreplaceable, ...expendable });
    const local = (command: string) => command.replaceAll('/var/', `${folder}/`);
    const unit = readFileSync(join(bundled, 'deploy/catalog-backup.service'), 'utf8');
    for (const [, command = ''] of unit.matchAll(/^Exec\w+=(.+)$/gm)) {
      const done = await run('sh', [
        '-c',
        local(command)
          .replaceAll('%%', '%')
          .replaceAll('$$', () => '$'),
      ]);
      assert.is(done.code, 0, `${command}\n${done.stderr}`);
    }
    rmSync(data, { recursive: true });
    const page = readFileSync(join(bundled, 'docs/deploy.md'), 'utf8');
    const [restore = ''] = /^tar --extract .+$/m.exec(page) ?? [];
    const restored = await run('sh', ['-c', local(restore)]);
    assert.is(restored.code, 0, restored.stderr);
    assert.equal(snapshot(data), irreplaceable);
    const listed = page.slice(page.indexOf('| in the data folder |'), page.indexOf('- Leave out'));
    for (const path of Object.keys(irreplaceable)) {
      const name = path.startsWith('announcements/') ? 'announcements/' : path;
      assert.match(listed, name === 'votes.jsonl.1' ? 'its rotated files' : `\`${name}\``);
    }
  }));

test.run();
