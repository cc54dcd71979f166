import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allRules } from '../../src/schema/rules.ts';
import { inFolder, type SmallAgent, writeCatalog } from '../support/catalog.ts';
import { editorialMistakes } from '../support/editorial-mistakes.ts';
import { catalog } from '../support/process.ts';

/** The setting `rules`: a catalog changes the severity of a rule, or switches it off. */

const today = '2026-01-01';
const agent: SmallAgent = { slug: 'a', date: today };
const configless = { ...agent, front: { configFilename: 'x.json' } };

/** Runs a command on a catalog of one agent with these rules. */
function run(args: string[], changed: SmallAgent, rules: object) {
  return inFolder((folder) => {
    writeCatalog(folder, [changed], { rules });
    return catalog([...args, '--cwd', folder, '--today', today]);
  });
}

async function validate(changed: SmallAgent, rules: object) {
  const { code, stdout } = await run(['validate', '--format', 'json'], changed, rules);
  const { ok, diagnostics } = JSON.parse(stdout) as { ok: boolean; diagnostics: { code: string; severity: string }[] };
  return { code, ok, found: diagnostics.map((one) => `${one.severity} ${one.code}`) };
}

test('a rule about writing is an error, a warning, or off', async () => {
  const short = { ...agent, front: { excerpt: 'Short.' } };
  const expected = { code: 1, ok: false, found: ['error editorial/excerpt'] };
  assert.equal(await validate(short, {}), expected);
  assert.equal(await validate(short, { 'editorial/excerpt': 'error' }), expected);
  assert.equal(await validate(short, { 'editorial/excerpt': 'warning' }), {
    code: 0,
    ok: true,
    found: ['warning editorial/excerpt'],
  });
  assert.equal(await validate(short, { 'editorial/excerpt': 'off' }), { code: 0, ok: true, found: [] });
  const tagged = { ...agent, front: { tags: '[small]' } };
  assert.equal(await validate(tagged, { 'editorial/portable': 'error' }), {
    code: 1,
    ok: false,
    found: ['error editorial/portable'],
  });
});

test('every rule about writing can be switched off', async () => {
  const rules = Object.fromEntries(
    allRules.filter(({ code }) => code.startsWith('editorial/')).map(({ code }) => [code, 'off']),
  );
  await inFolder(async (folder) => {
    const agents = editorialMistakes.map(([, change], index) => ({
      ...change,
      slug: `a-${index}`,
      date: `2026-${String(1 + (index % 12)).padStart(2, '0')}-${String(1 + Math.floor(index / 12)).padStart(2, '0')}`,
    }));
    writeCatalog(folder, agents, { rules });
    const { stdout } = await catalog(['validate', '--format', 'json', '--cwd', folder, '--today', today]);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
    assert.equal(
      diagnostics.filter(({ code }) => code.startsWith('editorial/')),
      [],
    );
  });
});

test('a rule of structure that is a warning lets the agent be published, and every build reports it', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [configless], { rules: { 'config/filename': 'warning' } });
    const build = () =>
      catalog(['build', '--cwd', folder, '--out', join(folder, 'out'), '--today', today, '--format', 'json'], {
        env: { CATALOG_CACHE: join(folder, 'cache') },
      });
    for (const changed of [true, false]) {
      const { code, stdout, stderr } = await build();
      const { counts, warnings, written } = JSON.parse(stdout);
      assert.is(code, 0);
      assert.is(counts.agents, 1);
      assert.is(written.changed > 0, changed);
      assert.equal(
        warnings.map((one: { severity: string; code: string }) => `${one.severity} ${one.code}`),
        ['warning config/filename'],
      );
      assert.match(stderr, 'warning  config/filename');
      assert.not.match(stderr, 'ignores these errors');
    }
  });
});

test('a rule of structure that is off is never reported, and without the setting it stops the build', async () => {
  assert.is((await run(['build'], configless, {})).code, 1);
  const { code, stderr } = await run(['build'], configless, { 'config/filename': 'off' });
  assert.is(code, 0);
  assert.not.match(stderr, 'config/filename');
  const twice = (rules: object) =>
    inFolder((folder) => {
      writeCatalog(folder, [agent, { slug: 'b', date: '2026-01-02', front: { title: 'The a agent' } }], { rules });
      return catalog(['validate', '--cwd', folder]);
    });
  assert.match((await twice({})).stdout, 'title/taken');
  assert.not.match((await twice({ 'title/taken': 'off' })).stdout, 'title/taken');
});

test('rules that publishing and safety depend on cannot be changed', () => {
  const codes = [
    'text/secret',
    'text/hidden-character',
    'issue/taken',
    'record/issue',
    'markdown/link',
    'settings/json',
  ];
  for (const code of codes) assert.is(allRules.find((rule) => rule.code === code)?.adjustable, false, code);
});

test('the report names the page of each rule', async () => {
  const page = 'https://github.com/daily-agent-catalog/daily-agent-catalog/blob/HEAD/docs/rules.md';
  const { stdout } = await run(['validate', '--format', 'json'], configless, {});
  assert.equal(
    JSON.parse(stdout).diagnostics.map(({ url }: { url: string }) => url),
    [`${page}#configfilename`],
  );
  assert.match((await run(['validate'], configless, {})).stderr, `Every rule is explained at ${page}\n`);
});

test.run();
