import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CatalogOptions, type Changes, WatchedCatalog } from '../../../src/build/dev/watched-catalog.ts';
import { checkCatalog } from '../../../src/build/validate.ts';
import { addDays } from '../../../src/lib/calendar.ts';
import { atTime } from '../../support/at-time.ts';
import { inFolder, type SmallAgent, smallSettings, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { commitAt, gitSync } from '../../support/git.ts';

/** What a preview says of the agents of a catalog, and how it keeps up with edits; without a server. */

const today = '2026-02-01';
const everything: Changes = { agents: 'all', settings: true, templates: true };
const nothing: Changes = { agents: new Set(), settings: false, templates: false };

function opened(folder: string, options: Partial<CatalogOptions> = { today }): WatchedCatalog {
  const catalog = new WatchedCatalog({ cwd: folder, baseUrl: 'http://localhost:1', cache: null, ...options });
  catalog.update(everything);
  return catalog;
}

const changed = (...agents: string[]): Changes => ({ ...nothing, agents: new Set(agents) });
const codesOf = (findings: readonly { code: string; slug: string | null; severity: string }[] = []) =>
  findings.map(({ code, slug, severity }) => `${slug} ${severity} ${code}`).sort();

test('drafts and agents that are due later are marked, and agents of today or with a number are not', () =>
  inFolder((folder) => {
    writeCatalog(folder, [
      { slug: 'numbered', date: '2026-01-30', front: { issue: '1' } },
      { slug: 'sketch', date: '2026-01-15', front: { draft: 'true' } },
      { slug: 'today', date: today },
      { slug: 'tomorrow', date: '2026-02-02' },
    ]);
    const { unpublished, errors, site } = opened(folder);
    assert.equal(errors, []);
    assert.equal(Object.fromEntries(unpublished), { sketch: 'Draft', tomorrow: 'Due 2026-02-02' });
    const slugs = site?.agents.map(({ slug }) => slug);
    assert.equal(slugs, ['tomorrow', 'today', 'numbered', 'sketch'], 'newest first, whatever their numbers');
  }));

for (const [timezone, day] of [
  ['Pacific/Kiritimati', '2026-11-23'],
  ['Pacific/Pago_Pago', '2026-11-21'],
] as const) {
  test(`without --today, the day follows the settings' time zone: ${timezone}`, () =>
    atTime(Date.parse('2026-11-22T10:30:00Z'), () =>
      inFolder((folder) => {
        const agents = [day, addDays(day, 1)].map((date, index) => ({ slug: `agent-${index}`, date }));
        writeCatalog(folder, agents, { timezone });
        assert.equal([...opened(folder, {}).unpublished], [['agent-1', `Due ${addDays(day, 1)}`]]);
      }),
    ));
}

const short = { excerpt: 'Too short.' };
const agents: SmallAgent[] = [
  { slug: 'good', date: '2026-01-01' },
  { slug: 'short', date: '2026-01-02', front: short },
  { slug: 'broken', date: '2026-01-03', front: { difficulty: 'brutal' } },
  { slug: 'unread', date: '2026-01-04', files: { 'agent.md': '---\ntitle: [\n---\n' } },
];

test('the checks of an agent are its own errors and warnings, with the severity of the settings', () =>
  inFolder((folder) => {
    writeCatalog(folder, agents, { rules: { ...smallSettings.rules, 'editorial/excerpt': 'warning' } });
    const catalog = opened(folder);
    const passed = (slug: string) => catalog.checksOf(slug)?.passed ?? [];
    assert.equal(codesOf(catalog.checksOf('good')?.findings), []);
    assert.equal(codesOf(catalog.checksOf('short')?.findings), ['short warning editorial/excerpt']);
    assert.equal(codesOf(catalog.checksOf('broken')?.findings), ['broken error front-matter/value']);
    assert.equal(
      passed('short'),
      passed('good').filter((code) => code !== 'editorial/excerpt'),
    );
    assert.ok(passed('good').includes('editorial/excerpt'));
    // Nobody knows whether an agent that cannot be read follows the rules.
    assert.equal(passed('unread'), []);
    assert.is(catalog.checksOf('none'), null);
  }));

test('its errors are the errors of catalog validate after each edit', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const catalog = opened(folder);
    const agreed = async () => {
      const { diagnostics } = await checkCatalog(folder, { today }, {});
      const expected = codesOf(diagnostics.filter(({ severity }) => severity === 'error'));
      assert.equal(codesOf(catalog.allErrors), expected);
      return expected;
    };
    assert.ok((await agreed()).includes('short error editorial/excerpt'));
    writeCatalog(folder, [{ slug: 'good', date: '2026-01-01', front: short }]);
    catalog.update(changed('good'));
    assert.ok((await agreed()).includes('good error editorial/excerpt'));
    writeCatalog(folder, agents.slice(0, 1));
    catalog.update(changed('good'));
    assert.not.ok((await agreed()).includes('good error editorial/excerpt'));
    // The removal of a folder in agents/ can be noticed first.
    rmSync(join(folder, 'agents'), { recursive: true });
    writeFileSync(join(folder, 'agents'), 'A file\n');
    catalog.update(changed('good'));
    catalog.update({ ...nothing, agents: 'all' });
    assert.equal(codesOf(catalog.errors), ['null error agents/unreadable']);
  }));

test('a switch to a branch without numbers leaves no errors, also if its files are noticed one by one', () =>
  inFolder(async (folder) => {
    const slugs = ['one', 'two'];
    const dated = slugs.map((slug, index) => ({ slug, date: addDays('2026-01-01', index) }));
    writeCatalog(folder, dated);
    gitSync(folder, 'init', '--quiet', '--initial-branch=main');
    commitAt(folder, '2026-01-01T12:00:00Z');
    gitSync(folder, 'branch', 'draft');
    writeCatalog(
      folder,
      dated.map((agent, index) => ({ ...agent, front: { issue: String(index + 1) } })),
    );
    commitAt(folder, '2026-01-02T12:00:00Z');
    const catalog = opened(folder);
    gitSync(folder, 'switch', '--quiet', 'draft');
    // Later, since what Git says is not kept right after a switch.
    await atTime(Date.now() + 60_000, () => {
      for (const slug of slugs) catalog.update(changed(slug));
    });
    assert.equal(codesOf(catalog.allErrors), []);
  }));

test('many agents can be shown before they are judged; an edit is judged at once, and the rest before all errors are told', () =>
  inFolder(async (folder) => {
    const many = Array.from({ length: 52 }, (_, index) => ({ slug: `agent-${index}`, date: addDays(today, -index) }));
    writeCatalog(folder, [{ ...many[0], front: short }, ...many.slice(1)] as SmallAgent[]);
    const catalog = opened(folder);
    const told = () => [catalog.site?.agents.length, catalog.isBehind, codesOf(catalog.allErrors)];
    assert.equal(told(), [52, true, []]);
    assert.equal(catalog.checksOf('agent-0')?.passed, []);
    assert.is(catalog.judge(0), true);
    writeCatalog(folder, [{ ...many[1], front: short }] as SmallAgent[]);
    catalog.update(changed('agent-1'));
    assert.equal(told(), [52, true, ['agent-1 error editorial/excerpt']]);
    assert.ok(catalog.checksOf('agent-1')?.passed.includes('editorial/untrusted'));
    while (catalog.judge(20)) assert.is(catalog.isBehind, true);
    catalog.update(nothing);
    assert.equal(told(), [52, false, ['agent-0 error editorial/excerpt', 'agent-1 error editorial/excerpt']]);
    assert.ok(catalog.checksOf('agent-0')?.passed.includes('editorial/untrusted'));
  }));

test('an edit of texts keeps the errors of other agents, and makes no warning an error', () =>
  inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 3), { rules: { ...smallSettings.rules, 'file/line-ends': 'warning' } });
    const catalog = opened(folder);
    assert.equal(codesOf(catalog.errors), ['broken error front-matter/value']);
    writeFiles(join(folder, 'agents/good'), { 'sample-input.txt': 'ROWS\r\nlamp, 12\r\n' });
    catalog.update(changed('good'));
    assert.equal(codesOf(catalog.errors), ['broken error front-matter/value']);
    assert.equal(codesOf(catalog.checksOf('good')?.findings).slice(-1), ['good warning file/line-ends']);
    assert.match(catalog.site?.agents.find(({ slug }) => slug === 'good')?.texts().sampleInput ?? '', 'lamp, 12');
  }));

test('what is broken stays as it was, and is reported by every update until it is fixed', () =>
  inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 2));
    const catalog = opened(folder);
    const slugs = () => catalog.site?.agents.map(({ slug }) => slug);
    const files = () => catalog.errors.map(({ file }) => file);
    writeCatalog(folder, [{ slug: 'good', date: '2026-01-01', front: { difficulty: 'brutal' } }]);
    catalog.update(changed('good'));
    assert.equal([slugs(), files()], [['short', 'good'], ['agents/good/agent.md']]);
    catalog.update(changed('short'));
    assert.equal(codesOf(catalog.checksOf('good')?.findings), ['good error front-matter/value']);

    const config = readFileSync(join(folder, 'catalog.config.json'), 'utf8');
    writeFiles(folder, { 'catalog.config.json': '{', 'templates/partials/agent-card.hbs': '{{#if}}' });
    catalog.update({ ...nothing, settings: true, templates: true });
    const broken = files();
    assert.ok(broken.includes('catalog.config.json'), broken.join());
    catalog.update(changed('short'));
    assert.equal(files().sort(), broken.sort());
    writeFiles(folder, { 'catalog.config.json': config });
    writeCatalog(folder, agents.slice(0, 1));
    rmSync(join(folder, 'agents/short'), { recursive: true });
    rmSync(join(folder, 'templates'), { recursive: true });
    catalog.update(everything);
    assert.equal([slugs(), files()], [['good'], []]);
  }));

test('lists stay behind the texts of agents until they are made again', () =>
  inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 2));
    const catalog = opened(folder);
    writeCatalog(folder, [{ slug: 'good', date: '2026-01-01', front: { title: 'Another title' } }]);
    catalog.update(changed('good'));
    assert.is(catalog.isBehind, true);
    writeFiles(folder, { 'agents/short/sample-output.txt': 'Odd: nothing at all\n' });
    catalog.update(changed('short'));
    assert.is(catalog.isBehind, true);
    catalog.update(nothing);
    assert.is(catalog.isBehind, false);
  }));

test('agents are read again with changed settings', () =>
  inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 3));
    const catalog = opened(folder);
    const { edition } = catalog;
    const settings = join(folder, 'catalog.config.json');
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('"hard"', '"brutal"'));
    catalog.update({ ...nothing, settings: true });
    assert.equal(codesOf(catalog.errors), []);
    assert.is(catalog.site?.agents.find(({ slug }) => slug === 'broken')?.difficulty, 'brutal');
    assert.ok(catalog.edition > edition, 'pages of the former settings would stay');
  }));

test("a catalog's own list may show any text, so an edit of a long text counts as one of the lists", () =>
  inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 1));
    const sample = join(folder, 'agents/good/sample-output.txt');
    /** The fingerprints of the agent in lists, at first and after each of two edits. */
    const listed = () => {
      const catalog = opened(folder);
      return ['', 'first', 'second'].map((line) => {
        if (line !== '') writeFileSync(sample, `${readFileSync(sample, 'utf8')}A ${line} line.\n`);
        catalog.update(changed('good'));
        return catalog.site?.agents[0]?.fingerprint.listed;
      });
    };
    assert.is(new Set(listed()).size, 1);
    writeFiles(folder, { 'templates/partials/agent-line.hbs': '<p>{{slug}} {{sampleInput}}</p>\n' });
    assert.is(new Set(listed()).size, 3);
  }));

test.run();
