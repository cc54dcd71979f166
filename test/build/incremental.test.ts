import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { build, renderCatalog } from '../../src/build/build.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { addDays } from '../../src/lib/calendar.ts';
import { ContentError } from '../../src/schema/diagnostics/content-error.ts';
import { inFolder, snapshot, temporaryFolder, writeFiles } from '../support/catalog.ts';
import { ChangingCatalog, firstDay } from '../support/changing-catalog.ts';
import { dieAt } from '../support/die-at.ts';
import { evalsFiles } from '../support/evals.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { loud } from '../support/loud.ts';
import { catalog } from '../support/process.ts';

/**
 * What editors rely on when a build leaves out what did not change: after any sequence of edits, dist/ has the bytes that a
 * build from nothing has.
 */

type Step = (changing: ChangingCatalog) => void;

// Most social images are the same in all sequences, and drawing them takes longer than the rest of a build.
const { path: cache, remove } = temporaryFolder();
test.after(loud(remove));

const place = fc.nat(20);
const word = fc.constantFrom('acorn', 'bark', 'crown', 'resin', 'sapling', 'twig');

/** An edit that a person may make between two builds. */
const step: fc.Arbitrary<[name: string, step: Step]> = fc.oneof(
  fc
    .tuple(place, word)
    .map(([at, text]): [string, Step] => [
      `sample of ${at}`,
      (changing) => changing.file(at, 'sample-output.txt', `A ${text}.\n`),
    ]),
  fc
    .tuple(place, word, fc.constantFrom('title', 'excerpt', 'problem'))
    .map(([at, text, key]): [string, Step] => [
      `${key} of ${at}`,
      (changing) => changing.edit(at, { [key]: `About the ${text} of number ${at} and nothing else at all.` }),
    ]),
  fc
    .tuple(place, word, fc.constantFrom('coding', 'writing'))
    .map(([at, text, category]): [string, Step] => [
      `tags of ${at}`,
      (changing) => changing.edit(at, { tags: `[${text}, small]`, category }),
    ]),
  fc
    .tuple(place, fc.boolean())
    .map(([at, has]): [string, Step] => [
      `config of ${at}`,
      (changing) => changing.file(at, 'config.json', has ? `{ "at": ${at} }\n` : '{}\n'),
    ]),
  place.map((at): [string, Step] => [
    `answers of ${at}`,
    (changing) => {
      for (const [name, text] of Object.entries(evalsFiles)) changing.file(at, name, text);
    },
  ]),
  fc
    .tuple(place, word)
    .map(([at, text]): [string, Step] => [
      `prompt of ${at}`,
      (changing) => changing.file(at, 'prompt.txt', goodPrompt.replace('stock', text)),
    ]),
  place.map((at): [string, Step] => [
    `withdraw ${at}`,
    (changing) => changing.edit(at, { withdrawn: 'It was wrong.' }),
  ]),
  place.map((at): [string, Step] => [`rename ${at}`, (changing) => changing.rename(at)]),
  place.map((at): [string, Step] => [`remove ${at}`, (changing) => changing.remove(at)]),
  fc
    .nat(30)
    .map((days): [string, Step] => [
      `add for day ${days}`,
      (changing) => changing.add(`new-${days}`, addDays(firstDay, 6 + days)),
    ]),
  fc.nat(12).map((days): [string, Step] => [
    `day ${days}`,
    (changing) => {
      changing.today = addDays(firstDay, 4 + days);
    },
  ]),
  fc.constantFrom<string[]>([], ['--future'], ['--drafts'], ['--skip-invalid']).map((flags): [string, Step] => [
    `flags ${flags}`,
    (changing) => {
      changing.flags = flags;
    },
  ]),
  word.map((text): [string, Step] => [`title ${text}`, (changing) => changing.setting('title', `The ${text}`)]),
  fc
    .constantFrom('UTC', 'Asia/Tokyo')
    .map((zone): [string, Step] => [`zone ${zone}`, (changing) => changing.setting('timezone', zone)]),
  fc
    .nat(3)
    .map((length): [string, Step] => [`feed ${length}`, (changing) => changing.setting('feedLength', length + 1)]),
  fc.boolean().map((own): [string, Step] => [
    `template ${own}`,
    ({ folder }) => {
      rmSync(join(folder, 'templates'), { recursive: true, force: true });
      // Lists that show a long text, as no template of the program does.
      const line = '<p>{{slug}} {{issue}} {{sampleInput}}</p>\n';
      if (own) writeFiles(folder, { 'templates/partials/agent-line.hbs': line });
    },
  ]),
  fc.constant<[string, Step]>(['commit', (changing) => changing.commit()]),
  fc
    .constantFrom('remove', 'cut', 'garbage')
    .map((how): [string, Step] => [`${how} cache`, () => damage(join(cache, 'builds'), how)]),
  fc.tuple(place, word, fc.integer({ min: 1, max: 150 })).map(([at, text, change]): [string, Step] => [
    `sample of ${at}, killed at ${change}`,
    (changing) => {
      changing.file(at, 'sample-output.txt', `Two of ${text}.\n`);
      killBuild(changing, change);
    },
  ]),
  fc
    .constantFrom('remove', 'cut', 'garbage')
    .map((how): [string, Step] => [`${how} dist`, ({ folder }) => damage(join(folder, 'dist', 'agents'), how)]),
);

/** Starts a build that is killed at its change number `step` of the disk. */
function killBuild({ folder, today }: ChangingCatalog, step: number): void {
  const out = join(folder, 'dist');
  try {
    const settings = loadSettings(folder, {}, {});
    dieAt(step, () => build({ cwd: folder, out, settings, cache, today, future: false, drafts: false }));
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
  }
}

/** Does the same to every file in a folder. */
function damage(folder: string, how: string): void {
  const names = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  for (const entry of names) {
    if (entry.isFile()) damageFile(join(folder, entry.name), how);
  }
}

function damageFile(path: string, how: string): void {
  if (how === 'remove') rmSync(path);
  else if (how === 'cut') truncateSync(path, Math.floor(readFileSync(path).length / 2));
  else writeFileSync(path, '{}');
}

/** Builds into dist/ as `catalog build` does, and compares with a build from nothing, in memory. */
async function checkBuild({ folder, today, flags }: ChangingCatalog, done: string): Promise<void> {
  const before = existsSync(join(folder, 'dist')) ? snapshot(join(folder, 'dist')) : {};
  const built = await catalog(['build', '--cwd', folder, '--today', today, ...flags], {
    env: { CATALOG_CACHE: cache },
  });
  let cold: ReturnType<typeof snapshot>;
  try {
    const selection = {
      today,
      future: flags.includes('--future'),
      drafts: flags.includes('--drafts'),
      skipInvalid: flags.includes('--skip-invalid'),
      published: new Set<string>(before['api/agents.json'] === undefined ? [] : slugsIn(before['api/agents.json'])),
    };
    const { rendered } = renderCatalog({ cwd: folder, settings: loadSettings(folder, {}, {}), cache, ...selection });
    cold = Object.fromEntries([...rendered.files].map(([path, bytes]) => [path, bytes.toString('latin1')]));
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    assert.is(built.code, 1, `${done}: a build from nothing fails`);
    assert.equal(snapshotOrNothing(join(folder, 'dist')), before, `${done}: a failed build changed dist/`);
    return;
  }
  assert.is(built.code, 0, `${done}: ${built.stderr}`);
  const now = snapshot(join(folder, 'dist'));
  const wrong = [...new Set([...Object.keys(now), ...Object.keys(cold)])].filter((path) => now[path] !== cold[path]);
  assert.equal(wrong, [], done);
}

function slugsIn(catalogFile: string): string[] {
  return (JSON.parse(catalogFile) as { agents: { slug: string }[] }).agents.map(({ slug }) => slug);
}

function snapshotOrNothing(folder: string): Record<string, string> {
  return existsSync(folder) ? snapshot(folder) : {};
}

const sequences = Number(process.env.SEQUENCES ?? 3);

test('after any sequence of edits, a build has the bytes of one from nothing', async () => {
  const sequence = fc.array(step, { minLength: 8, maxLength: 8 });
  const property = fc.asyncProperty(sequence, (steps) =>
    inFolder(async (folder) => {
      const changing = new ChangingCatalog(folder);
      await checkBuild(changing, 'the first build');
      for (const [index, [, change]] of steps.entries()) {
        change(changing);
        await checkBuild(
          changing,
          steps
            .slice(0, index + 1)
            .map(([name]) => name)
            .join(', '),
        );
      }
    }),
  );
  const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };
  const { errorInstance } = await fc.check(property, { numRuns: sequences, endOnFailure: true, ...seed });
  if (errorInstance) throw errorInstance;
});

test('the example in openapi.json has its fields in the same order if only another agent was parsed', () =>
  inFolder(async (folder) => {
    const changing = new ChangingCatalog(folder);
    for (const answer of ['first', 'second', 'third']) {
      changing.file(4, 'sample-output.txt', `The ${answer} answer.\n`);
      await checkBuild(changing, `the ${answer} build`);
    }
  }));

test('after a folder was renamed with the same files in it, no file names the former slug', () =>
  inFolder(async (folder) => {
    const changing = new ChangingCatalog(folder);
    await checkBuild(changing, 'the first build');
    renameSync(join(folder, 'agents/cedar'), join(folder, 'agents/cedar-tree'));
    await checkBuild(changing, 'the second build');
  }));

for (const how of ['remove', 'cut', 'garbage'] as const) {
  test(`the next edit repairs damaged lists in dist/: ${how}`, () =>
    inFolder(async (folder) => {
      const changing = new ChangingCatalog(folder);
      await checkBuild(changing, 'the first build');
      const lists = ['llms.txt', 'llms-full.txt', 'feed.xml', 'atom.xml', 'feed.json', 'marketplace.json'];
      for (const name of lists) damageFile(join(folder, 'dist', name), how);
      changing.edit(4, { title: 'A title that is new' });
      await checkBuild(changing, 'the second build');
    }));
}

test.run();
