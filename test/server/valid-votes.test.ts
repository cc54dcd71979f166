import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loud } from '../support/loud.ts';
import { type Answer, ask, postJson } from '../support/requests.ts';
import { stopStores, stores } from '../support/stores.ts';

/** Valid votes, as JSON and as forms: each is stored once, and what a form gets is a page. */

const good = { slug: 'one', vote: 'yes' };
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const emoji = '🙂';

for (const { name, withRuntime } of stores) {
  test(`valid votes of every form are stored once, ${name}`, () =>
    withRuntime({}, async ({ server, notes }) => {
      const at = server.address;
      const votes: [name: string, Promise<Answer>][] = [
        ['500 emoji', postJson(at, '/api/feedback', { ...good, note: emoji.repeat(500) })],
        [
          'escaped',
          postJson(at, '/api/feedback', `{"slug":"one","vote":"no","note":"${'\\ud83d\\ude42'.repeat(500)}"}`),
        ],
        ['unknown fields', postJson(at, '/api/feedback', { ...good, note: 'x', stars: 5, __proto: 1 })],
        [
          '__proto__ beside',
          postJson(at, '/api/feedback', '{"__proto__":{"admin":true},"slug":"one","vote":"yes","note":"p"}'),
        ],
        [
          'a charset',
          postJson(
            at,
            '/api/feedback',
            { ...good, note: 'c' },
            { headers: { 'content-type': 'Application/JSON ; charset=utf-8' } },
          ),
        ],
        [
          '64 KiB',
          postJson(at, '/api/feedback', `{"slug":"one","vote":"yes","note":"l","x":"${'x'.repeat(64 * 1024 - 45)}"}`),
        ],
        [
          'broken text',
          postJson(at, '/api/feedback', '{"slug":"one","vote":"yes","note":"a\\u0000b\\ud83d c\\udc00"}'),
        ],
        [
          'streamed',
          ask(at, '/api/feedback', {
            method: 'POST',
            headers: json,
            pieces: ['{"slug":"one",', '"vote":"yes","note":"s"}'].map((part) => Buffer.from(part)),
          }),
        ],
      ];
      for (const [name, answer] of votes) {
        const { status, text, headers } = await answer;
        assert.equal([name, status, text, headers['content-type']], [name, 200, '{"ok":true}', 'application/json']);
        assert.equal([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff'], name);
      }
      assert.equal(
        (await notes()).sort(),
        [emoji.repeat(500), emoji.repeat(500), 'x', 'p', 'c', 'l', 'a\uFFFDb\uFFFD c\uFFFD', 's'].sort(),
      );
      const trapped = await postJson(at, '/api/feedback', { website: 'x', slug: 'none' });
      assert.equal([trapped.status, trapped.text], [200, '{"ok":true}']);
      assert.is((await notes()).length, 8);
    }));

  test(`anyone may know how readers voted, once an agent has five votes, ${name}`, () =>
    withRuntime({ flags: { trustProxy: '1' } }, async ({ server }) => {
      const vote = (reader: number, choice: string) =>
        postJson(
          server.address,
          '/api/feedback',
          { slug: 'one', vote: choice },
          { headers: { ...json, 'x-forwarded-for': `192.0.2.${reader}` } },
        );
      for (const reader of [1, 2, 3, 4]) await vote(reader, 'yes');
      // The last vote of a reader counts.
      await vote(4, 'no');
      await vote(5, 'yes');
      const { status, headers, text } = await ask(server.address, '/api/votes.json');
      assert.equal([status, JSON.parse(text)], [200, { version: 1, totals: { one: { yes: 4, no: 1 } } }]);
      assert.equal([headers['cache-control'], headers['access-control-allow-origin']], ['public, max-age=60', '*']);
      await vote(6, 'no');
      assert.is((await ask(server.address, '/api/votes.json')).text, text, 'counted at most once a minute');
    }));

  test(`a valid form is redirected, and an invalid one gets a page, ${name}`, () =>
    withRuntime({}, async ({ server, notes }) => {
      const browser = {
        ...form,
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        origin: server.address.replace(/\/$/, ''),
      };
      const send = (text: string) =>
        ask(server.address, '/api/feedback', { method: 'POST', headers: browser, body: text });
      const sent = await send('slug=one&vote=yes&note=two%0D%0Alines+here&website=');
      assert.equal(
        [sent.status, sent.headers.location, sent.headers['cache-control']],
        [303, '/thanks/vote', 'no-store'],
      );
      assert.is((await ask(server.address, '/thanks/vote')).status, 200);
      const trapped = await send('website=x');
      assert.is(trapped.status, 303);
      const refused = await send('slug=one&vote=%3Cscript%3E');
      assert.is(refused.status, 400);
      assert.match(refused.headers['content-type'] ?? '', 'text/html');
      assert.match(refused.text, '>Vote has to be one of yes, no.<', 'without backticks, and with a capital');
      assert.not.match(refused.text, /send the form again|<script>&/);
      assert.is((await send('slug=one&vote=yes&note=a%00b')).status, 303);
      const unknown = await send('slug=none&vote=yes');
      assert.equal([unknown.status, unknown.text.includes('No agent')], [404, true]);
      assert.is((await send('slug=one&vote=no&note=1%2B1=2&note=3')).status, 303);
      assert.equal(await notes(), ['two\nlines here', 'a\uFFFDb', '1+1=2']);
    }));
}

test.after(loud(stopStores));

test.run();
