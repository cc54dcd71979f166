import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog } from '../support/catalog.ts';
import { evalsFiles } from '../support/evals.ts';
import { askTool, loadBuild } from '../support/mcp-answers.ts';
import { catalog } from '../support/process.ts';

/** A build that renders only what changed marks recorded answers wherever they are shown. */

/** Builds the catalog, and returns what its outputs say about the age of the answers. */
async function shownAfterBuild(folder: string) {
  const built = await catalog(['build', '--cwd', folder, '--today', '2026-02-01'], {
    env: { CATALOG_CACHE: join(folder, 'cache') },
  });
  assert.is(built.code, 0, built.stderr);
  const file = (path: string) => readFileSync(join(folder, 'dist', path), 'utf8');
  const page = load(file('agents/one.html'));
  const api = JSON.parse(file('api/evals/one.json')) as { answers: { stale: string | null }[] };
  return {
    page: page('section[aria-labelledby=proof]')
      .find('details[id] > summary, h3 ~ p:has(strong)')
      .toArray()
      .map((line) => page(line).text()),
    api: api.answers.map(({ stale }) => stale),
    list: JSON.parse(file('api/evals.json')).agents[0].proof,
    archive: load(file('archive.html'))('.entry .quiet').text(),
  };
}

test('an edited byte of a prompt makes its answers out of date on the page, in lists and in the API', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'one', date: '2026-01-01', front: { issue: '1' }, files: evalsFiles },
      { slug: 'two', date: '2026-01-02', front: { issue: '2' } },
    ]);
    assert.equal(await shownAfterBuild(folder), {
      page: [
        'Other, as its page says passes 2 of 2 checks',
        'some/model passes 1 of 2 checks, out of date (without the prompt, it passes 0)',
        'Other, as its page says passes 0 of 1 check',
        'some/model: not recorded',
      ],
      api: [null, null, 'prompt'],
      list: { models: 2, answers: 3, passed: 1, stale: 1 },
      archive: 'Proof: 1 of 3 recorded answers pass every check, 1 out of date',
    });
    const other = join(folder, 'agents/two/agent.md');
    writeFileSync(other, readFileSync(other, 'utf8').replace('nothing else', 'no more'));
    assert.is(
      (await shownAfterBuild(folder)).archive,
      'Proof: 1 of 3 recorded answers pass every check, 1 out of date',
    );
    const prompt = join(folder, 'agents/one/prompt.txt');
    writeFileSync(prompt, readFileSync(prompt, 'utf8').replace('Find', 'find'));
    assert.equal(await shownAfterBuild(folder), {
      page: [
        'Other, as its page says passes 2 of 2 checks, out of date',
        'some/model passes 1 of 2 checks, out of date (without the prompt, it passes 0)',
        'Other, as its page says passes 0 of 1 check, out of date',
        'some/model: not recorded',
      ],
      api: ['prompt', 'prompt', 'prompt'],
      list: { models: 2, answers: 3, passed: 1, stale: 3 },
      archive: 'Proof: 1 of 3 recorded answers pass every check, 3 out of date',
    });
  }));

test('an edited input makes only its own answers out of date, for readers and for assistants', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', front: { issue: '1' }, files: evalsFiles }]);
    writeFileSync(join(folder, 'agents/one/evals/planted.txt'), 'ROWS:\nNOTES: another note\n');
    assert.equal(await shownAfterBuild(folder), {
      page: [
        'Other, as its page says passes 2 of 2 checks',
        'some/model passes 1 of 2 checks, out of date (without the prompt, it passes 0)',
        'Other, as its page says passes 0 of 1 check, out of date',
        'some/model: not recorded',
      ],
      api: [null, 'input', 'prompt'],
      list: { models: 2, answers: 3, passed: 1, stale: 2 },
      archive: 'Proof: 1 of 3 recorded answers pass every check, 2 out of date',
    });
    const files = Object.entries(snapshot(join(folder, 'dist'))).map(
      ([path, bytes]) => [path, Buffer.from(bytes, 'latin1')] as const,
    );
    const { catalog } = await loadBuild(new Map(files));
    const answer = await askTool(catalog, 'get_agent', { slug: 'one', include: ['proof'] });
    const { proof } = answer.result.structuredContent as { proof: { answers: { outOfDate: boolean }[] } };
    assert.equal(
      proof.answers.map(({ outOfDate }) => outOfDate),
      [false, true, true],
    );
  }));

test('an agent that did not change keeps its config in the examples of openapi.json', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'one', date: '2026-01-01', front: { issue: '1' }, files: evalsFiles },
      { slug: 'two', date: '2026-01-02', front: { issue: '2' }, files: { 'config.json': '{ "a": [1] }\n' } },
    ]);
    const example = async (answer: string) => {
      writeFileSync(join(folder, 'agents/one/sample-output.txt'), answer);
      await shownAfterBuild(folder);
      const { paths } = JSON.parse(readFileSync(join(folder, 'dist/api/openapi.json'), 'utf8'));
      const { agent } = paths['/api/agents/{slug}.json'].get.responses[200].content['application/json'].example;
      return [agent.slug, agent.configFilename, agent.config];
    };
    for (const answer of ['First.\n', 'Second.\n', 'Third.\n']) {
      assert.equal(await example(answer), ['two', 'config.json', { a: [1] }]);
    }
  }));

test.run();
