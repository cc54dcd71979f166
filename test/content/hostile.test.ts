import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderCatalog } from '../../src/build/build.ts';
import { checkCatalog } from '../../src/build/validate.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { planPublication } from '../../src/publish/plan.ts';
import { ContentError } from '../../src/schema/diagnostics/content-error.ts';
import { breakRenderer } from '../support/break-renderer.ts';
import { inFolder, type SmallAgent, smallAgent, writeCatalog } from '../support/catalog.ts';

/** One agent whose files make the program fail must not keep today's agent from readers. */

const today = '2026-12-01';
const good: SmallAgent = { slug: 'good', date: '2026-01-01', front: { issue: '1' } };

type Outcome = 'built' | 'refused';

/**
 * Reports the outcome of each agent next to a good one. It is built, or it has errors and is skipped by the build, the
 * plan of `catalog publish` and `catalog validate` alike. Only `unprocessable` agents may make the program itself fail.
 */
async function outcomesOf(
  folder: string,
  agents: readonly SmallAgent[],
  unprocessable: string[] = [],
): Promise<Record<string, Outcome>> {
  writeCatalog(folder, [good, ...agents]);
  const settings = loadSettings(folder, {}, {});
  const options = { cwd: folder, settings, today, images: false };
  const { files } = renderCatalog({ ...options, skipInvalid: true }).rendered;
  assert.ok(files.has('agents/good.html'));
  const isBuilt = (slug: string) => files.has(`agents/${slug}.html`);
  const built = agents.map(({ slug }) => slug).filter(isBuilt);
  assert.equal(
    planPublication(folder, settings, today)
      .releases.map(({ slug }) => slug)
      .sort(),
    [...built].sort(),
  );

  const { diagnostics } = await checkCatalog(folder, { today }, {});
  assert.equal(
    diagnostics.filter(({ code }) => code === 'agent/unprocessable').map(({ slug }) => slug),
    unprocessable,
  );
  const blamed = new Set(
    diagnostics
      .filter(({ code, severity }) => severity === 'error' && !code.startsWith('editorial/'))
      .map(({ slug }) => slug),
  );
  const refused = agents.map(({ slug }) => slug).filter((slug) => !isBuilt(slug));
  assert.equal([...blamed].sort(), [...refused].sort());
  return Object.fromEntries(agents.map(({ slug }) => [slug, isBuilt(slug) ? 'built' : 'refused']));
}

/** Makes a changed agent that is due on a day that no other agent has, the `index`th one. */
function newcomer(index: number, change: Partial<SmallAgent>): SmallAgent {
  const date = new Date(Date.UTC(2026, 0, 2 + index)).toISOString().slice(0, 10);
  const agent = { slug: `agent-${index}`, date, ...change };
  return { ...agent, front: { title: `Number ${index}`, ...change.front } };
}

type Change = (index: number) => Partial<SmallAgent>;
const agentMd = (index: number) => String(smallAgent(newcomer(index, {}))['agent.md']);
const body =
  (text: string): Change =>
  (index) => ({ files: { 'agent.md': `${agentMd(index)}${text}\n` } });
const keys =
  (lines: string): Change =>
  (index) => ({ files: { 'agent.md': agentMd(index).replace('---\n', `---\n${lines}\n`) } });
const front =
  (lines: Record<string, string>): Change =>
  () => ({ front: lines });
const file =
  (name: string, text: string): Change =>
  () => ({ files: { [name]: text } });
const config = (text: string) => file('config.json', text);

const hostile: [name: string, change: Change, outcome: Outcome][] = [
  ['a config nested 40,000 deep', config(`${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`), 'refused'],
  ['a list nested 60 deep in a config', config(`{"a":${'['.repeat(60)}${']'.repeat(60)}}`), 'refused'],
  ['brackets in the texts of a config', config(JSON.stringify({ a: '['.repeat(9_000) })), 'built'],
  ['a number beyond all numbers', config('{"a":1e999}'), 'refused'],
  ['a number that programs round', config('{"a":12345678901234567890}'), 'refused'],
  ['keys that objects have', config('{"__proto__":{"a":1},"constructor":{"prototype":2}}'), 'built'],
  ['20,000 single quotes in a config', config(`{${"'a':1,".repeat(10_000)}"b":1}`), 'refused'],
  ['63,000 headings', body('# a\n'.repeat(63_000)), 'refused'],
  ['130,000 runs of backticks', file('sample-input.txt', '` '.repeat(130_000)), 'built'],
  ['backticks in how it works', body('`a '.repeat(5_000)), 'built'],
  ['20,000 headings within the length', body('#\n'.repeat(20_000)), 'refused'],
  ['deep quotes', body('>'.repeat(60_000)), 'refused'],
  ['deep lists', body(`${'- '.repeat(20_000)}a`), 'refused'],
  ['1,000 links', body('[a](b) '.repeat(1_000)), 'built'],
  ['2,000 links to programs', body('[a](x:y) '.repeat(2_000)), 'refused'],
  ['opening brackets', body('['.repeat(8_000)), 'built'],
  ['delimiters of emphasis', body('*a _b **c '.repeat(1_000)), 'built'],
  ['a huge table', body(`${'|a'.repeat(300)}\n${'|-'.repeat(300)}\n${'|b\n'.repeat(200)}`), 'built'],
  ['YAML lists nested 30,000 deep', keys(`x: ${'['.repeat(30_000)}`), 'refused'],
  ['YAML lists nested and closed', keys(`x: ${'['.repeat(20_000)}${']'.repeat(20_000)}`), 'refused'],
  [
    'YAML maps nested in lines',
    keys(Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')),
    'refused',
  ],
  ['YAML lists in one line', keys(`x:\n  ${'- '.repeat(20_000)}`), 'refused'],
  ['8,000 wrong tags', front({ tags: `[${'A,'.repeat(8_000)}A]` }), 'refused'],
  ['100,000 wrong tags', front({ tags: `[${'A,'.repeat(100_000)}A]` }), 'refused'],
  ['2,000 unknown keys', keys(Array.from({ length: 2_000 }, (_, index) => `k${index}: 1`).join('\n')), 'refused'],
  ['10,000 former slugs', front({ formerSlugs: `[${'good,'.repeat(10_000)}good]` }), 'refused'],
  ['keys that objects have in YAML', keys('__proto__: { title: x }\nconstructor: 1'), 'refused'],
  ['a huge second', front({ demo: '\n  - second: 1e999\n    label: a\n    detail: b' }), 'refused'],
  ['NUL', body('a\0b'), 'refused'],
  ['a title of one long word', front({ title: 'W'.repeat(120) }), 'built'],
  ['a prompt of one long line', file('prompt.txt', `INPUT\nRULES\nOUTPUT\n${'- a'.repeat(80_000)}\n`), 'built'],
];
test('absurdly long or deeply nested agents are built or refused, and never stop another agent', async () => {
  await inFolder(async (folder) => {
    const agents = hostile.map(([, change], index) => newcomer(index, change(index)));
    const outcomes = await outcomesOf(folder, agents);
    assert.equal(
      hostile.map(([name], index) => [name, outcomes[`agent-${index}`]]),
      hostile.map(([name, , outcome]) => [name, outcome]),
    );
  });
});

test('an agent that a renderer fails on is refused by validate, build and publish, and skipped on request', async () => {
  const restore = breakRenderer('breaks');
  try {
    await inFolder(async (folder) => {
      const agents = [newcomer(0, {}), newcomer(1, body('This breaks the renderer.')(1)), newcomer(2, {})];
      const outcomes = await outcomesOf(folder, agents, ['agent-1']);
      assert.equal(outcomes, { 'agent-0': 'built', 'agent-1': 'refused', 'agent-2': 'built' });
      const settings = loadSettings(folder, {}, {});
      const { diagnostics } = await checkCatalog(folder, { today }, {});
      assert.equal(
        diagnostics.map(({ code, file }) => [code, file]),
        [['agent/unprocessable', 'agents/agent-1/agent.md']],
      );
      const build = () => renderCatalog({ cwd: folder, settings, today, images: false });
      assert.throws(build, (error: unknown) => error instanceof ContentError && error.diagnostics.length === 1);
      // An editor learns of it while the agent is a draft.
      const path = join(folder, 'agents/agent-1/agent.md');
      writeFileSync(path, readFileSync(path, 'utf8').replace('---\n', '---\ndraft: true\n'));
      const drafted = await checkCatalog(folder, { today }, {});
      assert.equal(
        drafted.diagnostics.map(({ code, slug }) => [code, slug]),
        [['agent/unprocessable', 'agent-1']],
      );
    });
  } finally {
    restore();
  }
});

const piece = fc.constantFrom(
  ...[
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '<',
    '>',
    '`',
    '```\n',
    '*',
    '_',
    '#',
    '# a\n',
    '> ',
    '- ',
    '1. ',
    '|',
    '\n',
    '\n\n',
  ],
  ...[
    '---\n',
    '"',
    "'",
    '\\',
    '&',
    ':',
    ': ',
    '? ',
    '!',
    '%',
    '@',
    '\t',
    '\0',
    '\r',
    '&a ',
    '*a ',
    '!!js ',
    '{{',
    '}}',
  ],
  ...['[a](', 'x:y)', '![', '<a b=', '&#0;', '&Tab;', 'INPUT\n', '\u202e', '\ud83d', '\uffff', 'é', '𝒳', '1e999', '-0'],
  ...['__proto__', 'constructor', 'null', '~', '0x', '2026-02-30', 'title: x\n'],
);
const junk = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.constantFrom(1, 1, 2, 50, 2_000))
  .map(([pieces, times]) => pieces.join('').repeat(times));
const mutation = fc.record({
  file: fc.constantFrom('agent.md', 'agent.md', 'agent.md', 'prompt.txt', 'sample-input.txt', 'config.json'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat({ max: 40 }),
  insert: fc.oneof(
    junk.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  ),
});

type Mutation = ReturnType<(typeof mutation)['generate']>['value'];
const mutations = fc.array(mutation, { minLength: 1, maxLength: 1 });

test('agents of any bytes are built or get errors, and the other agents are built', async () => {
  const counts = { built: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(mutations, { minLength: 25, maxLength: 25 }), async (all) => {
      await inFolder(async (folder) => {
        const agents = all.map((list, index) => newcomer(index, { files: mutated(index, list) }));
        for (const outcome of Object.values(await outcomesOf(folder, agents))) counts[outcome] += 1;
      });
    }),
    { numRuns: 4 },
  );
  assert.ok(counts.built > 5 && counts.refused > 20, JSON.stringify(counts));
});

function mutated(index: number, list: readonly Mutation[]): Record<string, Uint8Array> {
  const sound = smallAgent(newcomer(index, { files: { 'config.json': '{ "a": [1] }\n' } }));
  const files: Record<string, Uint8Array> = {};
  for (const { file, at, cut, insert } of list) {
    const bytes = Buffer.from(files[file] ?? sound[file] ?? '');
    const start = Math.floor(at * bytes.length);
    files[file] = Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + cut)]);
  }
  return files;
}

test.run();
