import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSettings, givenBaseUrl, loadSettings } from '../../src/content/settings.ts';
import { UsageError } from '../../src/lib/errors.ts';
import { settingsSource } from '../../src/schema/settings.ts';
import { inFolder, smallSettings, writeCatalog, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';

/** Which value of a setting is used if there are several, and what replaces an invalid one. */

test('flags override the environment, which overrides the file', () =>
  inFolder((folder) => {
    const addresses = (given: object, environment: object) => {
      const { baseUrl, runtimeUrl } = loadSettings(folder, given, environment as NodeJS.ProcessEnv);
      return [baseUrl, runtimeUrl];
    };
    const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'];
    writeCatalog(folder, []);
    assert.equal(addresses({}, {}), ['https://press.example', 'https://press.example']);
    assert.equal(addresses({ baseUrl: a }, { CATALOG_BASE_URL: b }), [a, a]);
    assert.equal(addresses({ baseUrl: '' }, { CATALOG_BASE_URL: b }), [b, b]);
    assert.equal(addresses({ runtimeUrl: a }, { CATALOG_RUNTIME_URL: b }), ['https://press.example', a]);
    assert.equal(addresses({}, { CATALOG_RUNTIME_URL: b }), ['https://press.example', b]);
    writeCatalog(folder, [], { runtimeUrl: c });
    assert.equal(addresses({}, {}), ['https://press.example', c]);
    writeCatalog(folder, [], { runtimeUrl: null });
    assert.equal(addresses({}, {}), ['https://press.example', null]);
    assert.equal([givenBaseUrl(a, { CATALOG_BASE_URL: b }), givenBaseUrl(undefined, { CATALOG_BASE_URL: b })], [a, b]);
    assert.is(givenBaseUrl(undefined, {}), undefined);
  }));

test('an invalid address is refused, naming the flag or variable that has it', () =>
  inFolder((folder) => {
    writeCatalog(folder, []);
    const message = (given: object, environment: object) => {
      try {
        loadSettings(folder, given, environment as NodeJS.ProcessEnv);
        return null;
      } catch (error) {
        return error instanceof UsageError ? error.message : String(error);
      }
    };
    const expected = '"press"; it has to be an address that starts with http:// or https://.';
    assert.is(message({ baseUrl: 'press' }, {}), `--base-url is ${expected}`);
    assert.is(message({ runtimeUrl: 'press' }, {}), `--runtime-url is ${expected}`);
    assert.is(message({}, { CATALOG_BASE_URL: 'press' }), `CATALOG_BASE_URL is ${expected}`);
    assert.is(message({}, { CATALOG_RUNTIME_URL: 'press' }), `CATALOG_RUNTIME_URL is ${expected}`);
  }));

test('a missing comma does not move the locations of other mistakes', () =>
  inFolder((folder) => {
    const text = JSON.stringify({ ...smallSettings, wrong: 1 }, null, 2);
    writeFiles(folder, {
      'catalog.config.json': text.replace(',', ' "other": 2').replace('"timezone": "UTC"', '"timezone": "A"'),
    });
    const found = checkSettings(folder, {}, {}).diagnostics.map(({ line, code }) => `${line} ${code}`);
    assert.equal(found, [
      '2 settings/json',
      '2 settings/json',
      '6 settings/value',
      '2 settings/unknown-key',
      '35 settings/unknown-key',
    ]);
  }));

test('invalid and missing settings get defaults, and the others are used', () =>
  inFolder((folder) => {
    const check = (text: string) => {
      writeFiles(folder, { 'catalog.config.json': text });
      return checkSettings(folder, {}, {});
    };
    const nothing = check('7');
    assert.equal(nothing.vocabulary, { categories: null, difficulties: null, runtimes: null, rules: {} });
    assert.equal(nothing.settings, {
      title: 'Untitled',
      tagline: 'Untitled',
      description: 'Untitled',
      language: 'en',
      timezone: 'UTC',
      publisher: { name: 'Unknown', url: 'https://example.com' },
      feedId: 'tag:example.com,2026:catalog',
      baseUrl: 'https://example.com',
      runtimeUrl: 'https://example.com',
      categories: {},
      difficulties: [],
      runtimes: [],
      announceHour: 6,
      feedLength: 50,
      synonyms: [],
      queueWarningDays: 3,
      rules: {},
      showNext: 'time',
    });
    const some = check(JSON.stringify({ ...smallSettings, title: 7, difficulties: [], categories: { coding: {} } }));
    assert.equal([some.settings.title, some.settings.tagline], ['Untitled', 'Prompts for tests']);
    assert.equal(some.vocabulary, {
      categories: { coding: { label: 'coding', description: 'coding' } },
      difficulties: null,
      runtimes: ['Claude', 'ChatGPT'],
      rules: { 'editorial/near-duplicate': 'off' },
    });
    assert.is(check(JSON.stringify({ ...smallSettings, language: 'pt_BR' })).settings.language, 'und');
    const rules = { 'editorial/stop': 'warn', 'editorial/sample': 'off', 'text/secret': 'off' };
    assert.equal(check(JSON.stringify({ ...smallSettings, rules })).settings.rules, { 'editorial/sample': 'off' });
    assert.equal(check(JSON.stringify({ ...smallSettings, rules: null })).settings.rules, {});
    const noSlug = check(JSON.stringify({ ...smallSettings, categories: { coding: {}, 'My Things': {} } }));
    assert.is(noSlug.vocabulary.categories, null);
    assert.is(check(JSON.stringify({ ...smallSettings, categories: ['coding'] })).vocabulary.categories, null);
    assert.throws(() => Object.assign(some.settings.publisher, { name: 'x' }), /read only/);
  }));

test('a tagline that ends with a period is used without it, since pages continue the sentence', () => {
  const { tagline } = settingsSource.shape;
  const written = ['Prompts that work.', 'What now?', 'Prompts, tools ...', '.'];
  assert.equal(
    written.map((text) => tagline.parse(text)),
    ['Prompts that work', 'What now?', 'Prompts, tools ...', '.'],
  );
});

test('line endings of Windows and old Macs are white space, and errors keep their locations', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const plain = JSON.stringify(smallSettings, null, 2);
    const wrong = plain.replace('"UTC"', '"Mars/Base"');
    const hidden = plain.replace('for tests', 'for\u200b tests');
    const escaped = plain.replace('for tests', 'for\\r tests');
    const broken = plain.replace('for tests', 'for\n tests');
    const validate = async (text: string) => {
      writeFiles(folder, { 'catalog.config.json': text });
      const { code, shown } = await catalog(['validate', '--cwd', folder, '--today', '2026-02-01']);
      return { code, shown };
    };
    assert.match((await validate(wrong)).shown, 'catalog.config.json:6:15  error  settings/value');
    assert.match((await validate(hidden)).shown, 'catalog.config.json:3:26  error  text/hidden-character');
    assert.match((await validate(escaped)).shown, 'catalog.config.json:3:14  error  text/hidden-character');
    assert.match((await validate(broken)).shown, 'catalog.config.json:3:14  error  settings/json');
    for (const lineEnd of ['\r\n', '\r']) {
      assert.is((await validate(plain.replaceAll('\n', lineEnd))).code, 0);
      for (const text of [wrong, hidden, escaped, broken])
        assert.equal(await validate(text.replaceAll('\n', lineEnd)), await validate(text));
    }
  }));

test('settings in another encoding than UTF-8, as some editors of Windows write it, get that as their only error', () =>
  inFolder((folder) => {
    const text = JSON.stringify({ ...smallSettings, title: 'Café' }, null, 2);
    const encodings: [bytes: Buffer, place: string, message: string][] = [
      [Buffer.from(`\uFEFF${text}`, 'utf16le'), '1:1', 'catalog.config.json is UTF-16 text; it has to be UTF-8.'],
      [Buffer.from(text, 'latin1'), '2:16', 'catalog.config.json is not UTF-8 text.'],
    ];
    for (const [bytes, place, message] of encodings) {
      writeFiles(folder, { 'catalog.config.json': bytes });
      const found = checkSettings(folder, {}, {}).diagnostics;
      assert.equal(
        found.map((it) => `${it.line}:${it.column} ${it.code} ${it.message} ${it.hint}`),
        [`${place} settings/json ${message} Save the file as UTF-8.`],
      );
    }
  }));

test('a folder or a named pipe with the name of the settings file is reported as unreadable', async () => {
  const kinds: Record<string, (path: string) => void> = {
    EISDIR: (path) => mkdirSync(path),
    ...(process.platform !== 'win32' && { 'a named pipe': (path) => execFileSync('mkfifo', [path]) }),
  };
  for (const [kind, make] of Object.entries(kinds)) {
    await inFolder((folder) => {
      make(join(folder, 'catalog.config.json'));
      assert.equal(
        checkSettings(folder, {}, {}).diagnostics.map(({ code, message }) => `${code} ${message}`),
        [`settings/missing catalog.config.json in ${folder} cannot be read (${kind}).`],
      );
    });
  }
});

test.run();
