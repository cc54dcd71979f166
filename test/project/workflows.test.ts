import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { variables } from '../../src/mail/variables.ts';
import { bundled, inFolder } from '../support/catalog.ts';
import { type Job, readWorkflow, type Step, type Workflow } from '../support/workflow.ts';
import { checkWorkflow, workflowFaults } from '../support/workflow-rules.ts';

/** The daily run is unattended, so these tests find everything that GitHub would refuse or strangers could misuse. */

const folder = join(bundled, '.github/workflows');
const files = readdirSync(folder).filter((name) => name.endsWith('.yml'));

for (const file of files) {
  test(`GitHub accepts ${file}, and strangers cannot misuse it`, async () => {
    assert.equal(await checkWorkflow(join(folder, file)), []);
  });
}

test('each job has exactly the permissions that its steps need: one more or one less is reported', () => {
  assert.ok(files.length > 1);
  assert.equal(readdirSync(folder).length, files.length, 'a workflow that no test reads');
  for (const file of files) {
    const workflow = readWorkflow(join(folder, file));
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [name, job] of Object.entries(workflow.jobs)) {
      const permissions = job.permissions as Record<string, string>;
      const found = (changed: object) =>
        workflowFaults({ ...workflow, jobs: { [name]: { ...job, permissions: changed } } }, text).join('\n');
      assert.match(found({ ...permissions, packages: 'read' }), `${name}: it has packages: read`);
      for (const [permission, level] of Object.entries(permissions)) {
        const { [permission]: _, ...fewer } = permissions;
        assert.match(found(fewer), `${name}: it lacks ${permission}: ${level}`);
        if (level === 'read')
          assert.match(found({ ...fewer, [permission]: 'write' }), `${name}: it has ${permission}: write`);
      }
    }
  }
});

test('workflows that GitHub would refuse are reported', async () => {
  await inFolder(async (empty) => {
    const path = join(empty, 'wrong.yml');
    writeFileSync(path, readFileSync(join(folder, 'ci.yml'), 'utf8').replace('contents: read', 'kontents: read'));
    assert.match((await checkWorkflow(path)).join(), /kontents/);
  });
});

test('each step gets the variable or secret of the same name', () => {
  // In the environment of a step, and with other names: the contexts of GitHub, and what other steps found out.
  for (const file of files) {
    for (const [name, { steps }] of Object.entries(readWorkflow(join(folder, file)).jobs)) {
      for (const [key, value] of steps.flatMap(({ env }) => Object.entries(env ?? {}))) {
        const [, context, given] = /^\$\{\{ (vars|secrets)\.(\w+)/.exec(value) ?? [];
        if (context === undefined) continue;
        assert.equal([given, context], [key, /KEY$|HOSTS$/.test(key) ? 'secrets' : 'vars'], `${file}, ${name}`);
      }
    }
  }
});

test('the steps that build, check and announce get the addresses, and the last one all settings of a provider', () => {
  const { jobs } = readWorkflow(join(folder, 'publish.yml'));
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const variablesOf = (command: string) =>
    Object.keys(steps.find(({ run }) => run?.includes(`catalog ${command}`))?.env ?? {}).filter(
      (name) => name !== 'TODAY',
    );
  const addresses = ['CATALOG_BASE_URL', 'CATALOG_RUNTIME_URL'];
  assert.equal(variablesOf('ci verify --today'), addresses);
  assert.equal(variablesOf('build'), addresses);
  // A file with subscribers, and its mail server, belong to a server. Notes do not matter for announcements.
  const known = Object.keys({ ...variables.subscribers, ...variables.mail, ...variables.announcements });
  const others = /^(?:CATALOG_SMTP_URL|CATALOG_MAIL_(?:KEY|RATE)|CATALOG_SIGNUPS_(?:NOTE|LIMIT|TIMEOUT)\w*)$/;
  const ofProviders = known.filter((name) => !others.test(name));
  assert.equal(variablesOf('announce').sort(), [...addresses, ...ofProviders].sort());
});

test('the docs say what each schedule costs a private repository', () => {
  const days = 30;
  // The jobs ready and number, then push, build, install, deploy and check of the run that publishes.
  const [idle, more] = [2, 5];
  const { jobs, on } = readWorkflow(join(folder, 'publish.yml'));
  assert.equal(Object.keys(jobs).filter((name) => !['alert', 'announce'].includes(name)).length, idle + more);
  assert.equal(on.schedule, [{ cron: '23 * * * *' }]);
  const docs = readFileSync(join(bundled, 'docs/publishing.md'), 'utf8');
  const rows: [cron: string, runs: number, publishing: number][] = [
    ['23 * * * *', 24, 8],
    ['23 */6 * * *', 4, 4],
    ['23 5 * * *', 1, 1],
  ];
  for (const [cron, runs, publishing] of rows) {
    const minutes = days * (runs - publishing + publishing * idle + more);
    const [without, withEmail] = [minutes, minutes + days * publishing].map((count) => count.toLocaleString('en'));
    assert.match(docs.split(`\n| \`${cron}\``)[1]?.split('\n')[0] ?? '', `| ${without} | ${withEmail} |`);
    assert.ok(minutes + days * publishing < 2000);
  }
});

const good: { job: Job; step: Step } = {
  job: { permissions: {}, 'timeout-minutes': 5, steps: [] },
  step: { uses: `actions/checkout@${'a'.repeat(40)}`, with: { 'persist-credentials': 'false' } },
};
const faultsOf = (
  job: Partial<Job>,
  on: Record<string, unknown> = { push: {} },
  text = '',
  concurrency: Workflow['concurrency'] = { group: 'one' },
) => workflowFaults({ on, permissions: {}, concurrency, jobs: { one: { ...good.job, ...job } } }, text);
const pinned = (action: string, inputs: Step['with'] = {}): Step => ({
  uses: `actions/${action}@${'a'.repeat(40)}`,
  with: inputs,
});
const writes: Partial<Job> = {
  permissions: { issues: 'write' },
  steps: [{ run: 'npx --no daily-agent-catalog ci notify' }],
};

/** The rules could be wrong too, so each is broken once. */
const broken: [name: string, faults: string[], expected: RegExp][] = [
  ['an action named by its tag', faultsOf({ steps: [{ uses: 'actions/setup-node@v7' }] }), /40 hex/],
  ['a pin without its tag', faultsOf({ steps: [good.step] }, undefined, good.step.uses), /comment/],
  ['an expression in a command', faultsOf({ steps: [{ run: 'echo \u0024{{ github.head_ref }}' }] }), /run/],
  ['a package for npm as a repository', faultsOf({ steps: [{ run: 'npm publish a/b-*.tgz' }] }), /npm takes a folder/],
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
  ['a preview without .well-known', faultsOf({ steps: [pinned('upload-artifact')] }), /include-hidden-files/],
  [
    'a permission that no step needs',
    faultsOf({ permissions: { 'id-token': 'write', contents: 'read' }, steps: [good.step] }),
    /one: it has id-token: write, and no step needs it\.(?![\s\S]*it has contents)/,
  ],
  [
    'a permission that is more than a step needs',
    faultsOf({ permissions: { contents: 'write' }, steps: [good.step] }),
    /one: it has contents: write, and no step needs it\.\none: it lacks contents: read/,
  ],
  ['a checkout that may not read', faultsOf({ steps: [good.step] }), /lacks contents: read/],
  ['a deployment without its token', faultsOf({ steps: [pinned('deploy-pages')] }), /lacks id-token: write/],
  ['an address that may not be asked for', faultsOf({ steps: [pinned('configure-pages')] }), /lacks pages: read/],
  ['alerts that may open no issue', faultsOf({ steps: writes.steps ?? [] }), /lacks issues: write/],
  ['a push that is not allowed', faultsOf({ steps: [{ run: 'git push origin main' }] }), /lacks contents: write/],
  [
    'a push without credentials',
    faultsOf({ permissions: { contents: 'write' }, steps: [good.step, { run: 'git push' }] }),
    /it pushes, and no checkout keeps/,
  ],
  [
    'an action that nobody looked up',
    faultsOf({ steps: [pinned('cache')] }),
    /no permissions are listed for actions\/cache/,
  ],
  [
    'a call of the API that nobody looked up',
    faultsOf({ steps: [{ run: 'gh issue list' }] }),
    /no permissions are listed for gh issue list/,
  ],
  [
    'a build without the history',
    faultsOf({ steps: [good.step, { run: 'npx --no daily-agent-catalog build --skip-invalid' }] }),
    /no checkout has fetch-depth 0/,
  ],
  ['a deployment to no environment', faultsOf({ steps: [pinned('deploy-pages')] }), /environment github-pages/],
  ...[
    'catalog announce',
    'catalog build',
    'catalog ci notify',
    'catalog ci verify',
    'catalog ci verify --today "$TODAY"',
  ].map((run): (typeof broken)[number] => [
    `${run} on a day that may not be the day of the numbers`,
    faultsOf({ steps: [{ run: 'catalog publish' }, { run }] }),
    /does not take the day of the numbers/,
  ]),
  ['a schedule on the hour', faultsOf({}, { schedule: [{ cron: '0 5 * * *' }] }), /on the hour/],
  ['a schedule at every minute', faultsOf({}, { schedule: [{ cron: '* * * * *' }] }), /on the hour/],
  ['a schedule alone', faultsOf({}, { schedule: [{ cron: '7 5 * * *' }] }), /no workflow_dispatch/],
  ['runs at the same time', faultsOf({}, undefined, '', {}), /no concurrency group/],
  [
    'runs that write at the same time',
    faultsOf(writes, undefined, '', { group: 'one-\u0024{{ github.ref }}' }),
    /do not wait for each other/,
  ],
  [
    'a run that writes and is cancelled',
    faultsOf(writes, undefined, '', { group: 'one', 'cancel-in-progress': true }),
    /stops it halfway/,
  ],
  ['one group for all pull requests', faultsOf({}), /cancels the run of another/],
  ['secrets in a pull request', faultsOf({}, { pull_request: null }, '\u0024{{ secrets.KEY }}'), /needs secrets/],
  ['a pull request that writes', faultsOf(writes, { pull_request: null }), /needs to write/],
];
for (const [name, faults, expected] of broken) {
  test(`${name} is reported`, () => assert.match(faults.join('\n'), expected));
}

test.run();
