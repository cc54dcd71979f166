import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { addAgent, said, save, startCatalog } from '../support/editor.ts';
import { makeForge } from '../support/forge.ts';
import { git } from '../support/git.ts';
import { buttondown, startService } from '../support/mail/services.ts';
import { published, stopped } from '../support/publication-days.ts';

/** The job of publish.yml that sends the email, with an imitation of Buttondown. */

test('only with the key, and from its hour on, the email is sent once after the live check, however often the job runs', () =>
  inFolder(async (folder) => {
    const editor = join(folder, 'editor');
    const forge = await makeForge(folder);
    const service = await startService(buttondown());
    try {
      await startCatalog(forge, editor);
      const more = { runtimeUrl: null, queueWarningDays: 0, timezone: 'Europe/Berlin' };
      writeCatalog(editor, [], { ...more, postalAddress: 'Press, Main Street 1', announceHour: 13 });
      addAgent(editor, 'first', '2027-03-01');
      await save(editor, 'Add the first agent');
      const play = (time: string, key = 'k3y') =>
        forge.play('publish.yml', {
          ...{ today: '2027-03-01', time },
          ...(key && { secrets: { CATALOG_SIGNUPS_KEY: key }, vars: { CATALOG_SIGNUPS_URL: service.url } }),
        });

      const withoutKey = await play('05:23', '');
      assert.equal(withoutKey.results, published, said(withoutKey));
      const early = await play('11:59');
      assert.equal(early.results, { ...published, ...stopped, announce: 'success' }, said(early));
      assert.equal(service.asked, []);
      for (const time of ['12:00', '22:59']) {
        const run = await play(time);
        assert.equal(run.results, { ...published, ...stopped, announce: 'success' }, said(run));
        assert.equal(
          service.sent.map(({ to }) => to),
          ['sub_tag_0k28edc3fw896bp4mrhc535z5k'],
          said(run),
        );
      }

      await git(editor, 'pull', '--quiet');
      addAgent(editor, 'second', '2027-03-02');
      await save(editor, 'Add the second agent');
      const next = await forge.play('publish.yml', {
        ...{ today: '2027-03-02', time: '12:23' },
        ...{ secrets: { CATALOG_SIGNUPS_KEY: 'wrong' }, vars: { CATALOG_SIGNUPS_URL: service.url } },
      });
      assert.equal(next.results, { ...published, announce: 'failure' }, said(next));
      assert.is(service.sent.length, 1);
      assert.not.match(said(next), 'wrong');
    } finally {
      await service.close();
      await forge.close();
    }
  }));

test.run();
