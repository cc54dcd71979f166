import { join } from 'node:path';
import { HtmlValidate } from 'html-validate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled, snapshot, temporaryFolder } from './support/catalog.ts';
import { loud } from './support/loud.ts';
import { catalog } from './support/process.ts';

/** Every page of the bundled catalog is valid HTML: readers' browsers and assistive software need not guess. */

const folder = temporaryFolder();
let pages: [string, string][];

test.before(
  loud(async () => {
    const out = join(folder.path, 'dist');
    const built = await catalog(['build', '--cwd', bundled, '--out', out, '--future', '--today', '2026-11-21']);
    assert.is(built.code, 0, built.stderr);
    pages = Object.entries(snapshot(out)).filter(([path]) => path.endsWith('.html'));
  }),
);
test.after(loud(() => folder.remove()));

test('every page satisfies html-validate', async () => {
  const judge = new HtmlValidate({
    extends: ['html-validate:recommended', 'html-validate:document'],
    rules: {
      'no-trailing-whitespace': 'off',
      'long-title': 'off',
      'no-inline-style': 'error',
      'require-sri': ['error', { target: 'crossorigin' }],
    },
  });
  assert.ok(pages.length > 20);
  for (const [path, text] of pages) {
    const report = await judge.validateString(Buffer.from(text, 'latin1').toString('utf8'), path);
    const faults = report.results.flatMap(({ messages }) =>
      messages.map((m) => `${path}:${m.line}:${m.column} ${m.ruleId} ${m.message}`),
    );
    assert.equal(faults, []);
  }
});

test('every page carries the security policy, a title, a description and one main heading', () => {
  for (const [path, text] of pages) {
    assert.match(text, /http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;/, path);
    assert.match(text, /<title>[^<]+<\/title>/, path);
    assert.match(text, /<meta name="description" content="[^"]+">/, path);
    assert.is(text.match(/<h1/g)?.length, 1, path);
    assert.not.match(text, /<script(?![^>]*\b(?:src=|type="application\/ld\+json"))|<style|\son[a-z]+=/, path);
  }
});

test.run();
