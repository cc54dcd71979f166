import { HtmlValidate } from 'html-validate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { snapshot } from '../support/catalog.ts';
import { builtBundled } from '../support/server.ts';
import { configureOnce, unfilledPlugin } from '../support/unfilled.ts';

/**
 * Every page of the bundled catalog is valid HTML, so that browsers and assistive software need not guess. Emails follow
 * rules of their own: test/site/mail.test.ts.
 */

const pages = Object.entries(snapshot(builtBundled()))
  .filter(([path]) => path.endsWith('.html') && !path.startsWith('mail/'))
  .map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1').toString('utf8')] as const);

test('every page passes html-validate, and no template leaves an element empty', async () => {
  const judge = new HtmlValidate({
    extends: ['html-validate:recommended', 'html-validate:document'],
    plugins: [unfilledPlugin],
    rules: {
      unfilled: 'error',
      'no-trailing-whitespace': 'off',
      'long-title': 'off',
      'no-inline-style': 'error',
      'require-sri': ['error', { target: 'crossorigin' }],
    },
  });
  await configureOnce(judge);
  // Many pages have two addresses.
  const distinct = new Map(pages.map(([path, text]) => [text, path]));
  assert.ok(distinct.size > 60);
  for (const [text, path] of distinct) {
    const report = await judge.validateString(text, path);
    const faults = report.results.flatMap(({ messages }) =>
      messages.map((m) => `${path}:${m.line}:${m.column} ${m.ruleId} ${m.message}`),
    );
    assert.equal(faults, []);
  }
});

test('every page has the security policy, a title, a description and one main heading', () => {
  for (const [path, text] of pages) {
    assert.match(text, /http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;/, path);
    assert.match(text, /<title>[^<]+<\/title>/, path);
    assert.match(text, /<meta name="description" content="[^"]+">/, path);
    assert.is(text.match(/<h1/g)?.length, 1, path);
    assert.not.match(
      text,
      /<script(?![^>]*\b(?:src=|type="(?:application\/ld\+json|speculationrules)"))|<style|<[^>]*\son[a-z]+=/,
      path,
    );
  }
});

test('an element or attribute that a template leaves empty is reported', async () => {
  const judge = new HtmlValidate({ root: true, plugins: [unfilledPlugin], rules: { unfilled: 'error' } });
  const { results } = await judge.validateString('<p id="">One <b></b></p>\n<td><code> </code></td>');
  assert.equal(
    results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`)),
    ['1: <p id=""> is empty', '1: <b> is empty', '2: <td> is empty', '2: <code> is empty'],
  );
});

test.run();
