import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAnnounceSettings } from '../../../src/mail/senders.ts';
import { writeCatalog } from '../../support/catalog.ts';
import { postalAddress } from '../../support/mail/announcing.ts';
import { type Online, onlineCatalog } from '../../support/mail/online-catalog.ts';
import { rows } from '../../support/mail/service-rows.ts';

/** What `catalog announce` refuses, with the reason, before it asks a service or a reader. */

const refusals: [name: string, change: (place: Online) => void, args: string[], message: RegExp][] = [
  [
    'whose page is not online',
    ({ site }) => site.clear(),
    [],
    /^error: The page is not live, so nothing was sent\. http:\S+\/agents\/three returned status 404\.$/m,
  ],
  [
    'whose page has another prompt',
    ({ folder, baseUrl }) => {
      writeCatalog(
        folder,
        [{ slug: 'three', date: '2026-11-20', files: { 'prompt.txt': 'INPUT\nx\n\nRULES\ny\n\nOUTPUT\nz\n' } }],
        { baseUrl, postalAddress },
      );
    },
    [],
    /a different number or prompt than this folder/,
  ],
  [
    'whose page has another number',
    ({ site }) => {
      const path = 'api/agents/three.json';
      site.set(path, (site.get(path) ?? '').replace('"issue": 3', '"issue": 4'));
    },
    [],
    /a different number or prompt than this folder/,
  ],
  [
    'of which a page in the digest is missing',
    ({ site }) => void site.delete('agents/one.html'),
    ['--weekly'],
    /agents\/one returned status 404/,
  ],
];
for (const [name, change, args, message] of refusals) {
  test(`refuses an announcement ${name}`, () =>
    onlineCatalog(async (place) => {
      change(place);
      const { code, stderr } = await place.announce(args);
      assert.is(code, 1);
      assert.match(stderr, message);
      assert.is(place.service.asked.length, 0);
    }));
}

test('settings are used without spaces around them, and five emails are sent in a second unless they say otherwise', () => {
  const smtp = { CATALOG_SMTP_URL: 'smtp://127.0.0.1:9', CATALOG_MAIL_FROM: 'a@press.example' };
  const rate = (given: NodeJS.ProcessEnv) => {
    const settings = parseAnnounceSettings({ ...smtp, ...given });
    return 'rate' in settings ? settings.rate : null;
  };
  assert.equal([rate({}), rate({ CATALOG_MAIL_RATE: ' ' }), rate({ CATALOG_MAIL_RATE: ' 7 ' })], [5, 5, 7]);
  const key = { CATALOG_SIGNUPS_KEY: 'k3y', ...rows.resend?.environment };
  assert.throws(
    () => parseAnnounceSettings({ ...key, CATALOG_MAIL_FROM: 'Daily Agents' }),
    /CATALOG_MAIL_FROM has to be/,
  );
});

test('refuses without a postal address, and without a way to send', async () => {
  await onlineCatalog(async ({ announce }) => {
    const { code, stderr } = await announce();
    assert.is(code, 1);
    assert.match(
      stderr,
      /^error: The settings have no postal address.* Set `postalAddress` in catalog\.config\.json\.$/m,
    );
  }, {});
  await onlineCatalog(async ({ announce }) => {
    const mail = { CATALOG_SIGNUPS: '', CATALOG_SMTP_URL: 'smtp://127.0.0.1:9', CATALOG_MAIL_FROM: 'a@press.example' };
    const none = await announce([], { CATALOG_SIGNUPS: '' });
    assert.equal([none.code, /^error: CATALOG_SMTP_URL is missing/.test(none.stderr)], [2, true]);
    assert.match(
      (await announce([], { ...mail, CATALOG_MAIL_RATE: '0' })).stderr,
      /^error: CATALOG_MAIL_RATE is "0"; .*from 1 on/,
    );
    assert.match((await announce([], { CATALOG_SIGNUPS: 'webhook' })).stderr, /^error: CATALOG_ANNOUNCE_URL has to be/);
  });
  for (const [runtimeUrl, message] of [
    [null, /^error: Without a server \(`runtimeUrl`\), readers could not unsubscribe.*Set `runtimeUrl`/],
    ['http://press.example', /^error: The server \(`runtimeUrl`\) has no https address.*Set `runtimeUrl`/],
  ] as const) {
    await onlineCatalog(
      async ({ announce }) => {
        const env = {
          CATALOG_SIGNUPS: '',
          CATALOG_SMTP_URL: 'smtp://127.0.0.1:9',
          CATALOG_MAIL_FROM: 'a@press.example',
        };
        const { code, stderr } = await announce([], env);
        assert.is(code, 1);
        assert.match(stderr, message);
      },
      { postalAddress, runtimeUrl },
    );
  }
});

test.run();
