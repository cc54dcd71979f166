import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allRules } from '../../src/schema/rules.ts';
import { root } from '../support/process.ts';

/** Where a diagnostic is worded: in src/schema/messages/, and never in the check that finds it. */

const codes = allRules.map(({ code }) => `'${code}'`);

/** A literal text as the message or the hint of a diagnostic, also after a condition. */
const words = /\b(?:message|hint)(?:: string)?\s*[:=](?:[^,;{}]*?\?)?\s*['"`].*/g;

/** The texts that a file words itself, if it makes diagnostics: if it has the code of a rule, or the type of words. */
function wordedIn(text: string): string[] {
  const makesDiagnostics = /\bWording\b/.test(text) || codes.some((code) => text.includes(code));
  return makesDiagnostics ? (text.match(words) ?? []) : [];
}

test('the words of all diagnostics are in src/schema/messages/', () => {
  const files = readdirSync(join(root, 'src'), { encoding: 'utf8', recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !/^schema\/messages\//.test(path));
  assert.ok(files.length > 150);
  const found = files.flatMap((path) =>
    wordedIn(readFileSync(join(root, 'src', path), 'utf8')).map((line) => `src/${path} ${line}`),
  );
  assert.equal(found, []);
});

test('a check that words a diagnostic itself is found', () => {
  const code = "code: 'title/taken',";
  const found = [
    `${code} message: 'Taken.'`,
    `${code} message: \`\${name} is taken.\``,
    `${code} ...titleTaken(name), hint: isDraft ? 'Rename it.' : other`,
    `const hint =\n  isDraft\n    ? 'Rename it.'\n    : 'Choose another.';\nreturn { ${code} message, hint }`,
    'const wording: Wording = { message: "Taken.", hint }',
  ];
  for (const text of found) assert.is(wordedIn(text).length, 1, text);
  const others = [`{ ${code} ...titleTaken(name) }`, "{ code: 'custom', message: 'a date' }", "{ hint: 'Paste it.' }"];
  for (const text of others) assert.equal(wordedIn(text), [], text);
});

test.run();
