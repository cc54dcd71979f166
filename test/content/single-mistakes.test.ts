import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCatalog } from '../../src/build/validate.ts';
import { addDays } from '../../src/lib/calendar.ts';
import type { Diagnostic } from '../../src/schema/diagnostics/diagnostic.ts';
import { inFolder, type SmallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { assertSingleMessage } from '../support/messages.ts';
import { agentWith, type SingleMistake, singleMistakes } from '../support/single-mistakes.ts';

/** Each mistake causes one message, for the file with the mistake and with its fix, and never hides another mistake. */

/** Returns the findings in a catalog with one agent for each group of mistakes, and two agents without mistakes. */
function check(groups: readonly SingleMistake[][], settings?: string): Promise<Diagnostic[]> {
  return inFolder(async (folder) => {
    const good: SmallAgent[] = [
      { slug: 'one', date: '2026-01-01', front: { issue: '1' } },
      { slug: 'two', date: '2026-01-02', front: { issue: '2' } },
    ];
    const agents = groups.map((group, index) => agentWith(group, `agent-${index}`, addDays('2027-01-01', index)));
    writeCatalog(folder, [...good, ...agents]);
    if (settings !== undefined) writeFiles(folder, { 'catalog.config.json': settings });
    return (await checkCatalog(folder, { today: '2026-02-01' }, {})).diagnostics;
  });
}

const placeOf = ({ file, line, column, endColumn }: Diagnostic) => `${file}:${line}:${column}-${endColumn}`;
const inAgent = ({ at }: SingleMistake, index: number) => `agents/agent-${index}${at.startsWith(':') ? '' : '/'}${at}`;
const told = (found: readonly Diagnostic[]) => found.map(({ code, message }) => `${code}: ${message}`).join('\n');

function assertMessage(found: Diagnostic | undefined, { name, code, says, fix }: SingleMistake): void {
  assertSingleMessage(name, found as Diagnostic, { code, message: says, hint: fix });
}

const ofAgents = singleMistakes.filter(({ settings }) => settings === undefined);
const ofSettings = singleMistakes.filter(({ settings }) => settings !== undefined);
const all = check(ofAgents.map((mistake) => [mistake]));

for (const [index, mistake] of ofAgents.entries()) {
  test(`one message for ${mistake.name}`, async () => {
    const found = (await all).filter(({ slug }) => slug === `agent-${index}`);
    assert.equal(found.map(placeOf), [inAgent(mistake, index)], told(found));
    assertMessage(found[0], mistake);
  });
}

test('agents without a mistake get no message, even next to agents with one', async () => {
  const agents = new Set(ofAgents.map((_, index) => `agent-${index}`));
  assert.is(told((await all).filter(({ slug }) => slug === null || !agents.has(slug))), '');
});

for (const [index, mistake] of ofSettings.entries()) {
  test(`in the settings, one message for ${mistake.name}, and one for a mistake in an agent`, async () => {
    const other = ofAgents.filter(({ name }) => !/category|assistant|difficulty/.test(name))[
      index * 3
    ] as SingleMistake;
    const found = await check([[other]], mistake.settings);
    const own = found.filter(({ slug }) => slug === null);
    assert.equal(own.map(placeOf), [mistake.at], told(own));
    assertMessage(own[0], mistake);
    // If the settings cannot be read, no rule is off, and these agents share a prompt.
    const others = found.filter(({ slug, code }) => slug !== null && code !== 'editorial/near-duplicate');
    assert.equal(others.map(placeOf), [inAgent(other, 0)], told(found));
  });
}

/** Whether one agent can have both mistakes without one undoing the other. */
function fit(a: SingleMistake, b: SingleMistake): boolean {
  const touched = [a, b].flatMap(({ front, files }) => [...Object.keys(front), ...Object.keys(files)]);
  const rewritesFrontMatter = touched.includes('agent.md') || touched.includes('x/agent.md');
  const changesKeys = Object.keys({ ...a.front, ...b.front }).length > 0;
  return new Set(touched).size === touched.length && !(rewritesFrontMatter && changesKeys);
}

test('an editorial mistake is reported together with a structural one if the texts are complete', async () => {
  const ofWriting = ofAgents.filter(({ code }) => code.startsWith('editorial/'));
  const beside = ofAgents.filter(({ code }) =>
    ['folder/unknown-file', 'config/json', 'file/final-newline'].includes(code),
  );
  const pairs = beside.flatMap((one) => ofWriting.filter((other) => fit(one, other)).map((other) => [one, other]));
  assert.ok(pairs.length > 10);
  const found = await check(pairs);
  for (const [index, pair] of pairs.entries()) {
    const own = found.filter(({ slug }) => slug === `agent-${index}`);
    assert.equal(own.map(({ code }) => code).sort(), pair.map(({ code }) => code).sort(), told(own));
  }
});

test('two mistakes in one agent are both reported', async () => {
  // The editorial rules are checked only if the texts and the front matter are complete.
  const structural = ofAgents.filter(({ code }) => !code.startsWith('editorial/'));
  const pairs = structural.flatMap((first, index) => {
    const second = structural.find((other, at) => at > index + (index % 11) && fit(first, other));
    return second === undefined ? [] : [[first, second]];
  });
  assert.ok(pairs.length > 80);
  const messages = new Map((await all).map(({ slug, message }) => [slug, message]));
  const found = await check(pairs);
  for (const [index, pair] of pairs.entries()) {
    const own = found.filter(({ slug }) => slug === `agent-${index}`);
    const names = pair.map(({ name }) => name).join(' and ');
    assert.is(own.length, 2, `${names}:\n${told(own)}`);
    for (const mistake of pair) {
      const { code, at } = mistake;
      const alone = messages.get(`agent-${ofAgents.indexOf(mistake)}`);
      const match = own.find((one) => one.code === code && one.message === alone);
      assert.ok(match, `${names}:\n${told(own)}`);
      // Lines move where keys are removed, but no mistake is sent to the start of the file because of another one.
      assert.ok(at.includes(':1:1') || match.line > 1 || match.column > 1, `${names}: ${placeOf(match)}`);
    }
  }
});

test.run();
