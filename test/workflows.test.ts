import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled, inFolder } from './support/catalog.ts';
import type { Job, Step } from './support/workflow.ts';
import { checkWorkflow, workflowFaults } from './support/workflow-rules.ts';

/** The daily run happens while nobody looks: what GitHub would refuse, or strangers could misuse, is found here. */

const folder = join(bundled, '.github/workflows');
const files = readdirSync(folder).filter((name) => name.endsWith('.yml'));

for (const file of files) {
  test(`${file} is what GitHub accepts, and gives strangers nothing to misuse`, async () => {
    assert.equal(await checkWorkflow(join(folder, file)), []);
  });
}

test('what GitHub would refuse is found', async () => {
  await inFolder(async (empty) => {
    const path = join(empty, 'wrong.yml');
    writeFileSync(path, readFileSync(join(folder, 'ci.yml'), 'utf8').replace('contents: read', 'kontents: read'));
    assert.match((await checkWorkflow(path)).join(), /kontents/);
  });
});

const good: { job: Job; step: Step } = {
  job: { permissions: {}, 'timeout-minutes': 5, steps: [] },
  step: { uses: `actions/checkout@${'a'.repeat(40)}`, with: { 'persist-credentials': 'false' } },
};
const faultsOf = (job: Partial<Job>, on: Record<string, unknown> = { push: {} }, text = '') =>
  workflowFaults({ on, permissions: {}, jobs: { one: { ...good.job, ...job } } }, text);

/** The rules themselves can fail: each is broken once. */
const broken: [name: string, faults: string[], expected: RegExp][] = [
  ['an action named by its tag', faultsOf({ steps: [{ uses: 'actions/setup-node@v7' }] }), /40 hex/],
  ['a pin without its tag', faultsOf({ steps: [good.step] }, undefined, good.step.uses), /comment/],
  ['an expression in a command', faultsOf({ steps: [{ run: 'echo \u0024{{ github.head_ref }}' }] }), /run/],
  [
    'a job without permissions',
    workflowFaults({ on: {}, permissions: {}, jobs: { one: { steps: [] } } }, ''),
    /permissions/,
  ],
  ['a job without an end', workflowFaults({ on: {}, permissions: {}, jobs: { one: { steps: [] } } }, ''), /timeout/],
  ['code of a fork with secrets', faultsOf({}, { pull_request_target: {} }), /pull_request_target/],
  [
    'code of a dependency beside a token that may push',
    faultsOf({ permissions: { contents: 'write' }, steps: [{ run: 'npm ci' }] }),
    /more than git/,
  ],
  [
    'a commit from an earlier job beside a token that may push',
    faultsOf({
      permissions: { contents: 'write' },
      steps: [{ ...good.step, with: { ref: '\u0024{{ needs.number.outputs.commit }}' } }],
    }),
    /earlier job names the commit/,
  ],
  ['a token that stays on the disk', faultsOf({ steps: [{ uses: good.step.uses ?? '' }] }), /persist-credentials/],
  [
    'an artifact without .well-known',
    faultsOf({ steps: [{ uses: `actions/upload-pages-artifact@${'a'.repeat(40)}` }] }),
    /include-hidden-files/,
  ],
];
for (const [name, faults, expected] of broken) {
  test(`${name} would be found`, () => assert.match(faults.join('\n'), expected));
}

test.run();
