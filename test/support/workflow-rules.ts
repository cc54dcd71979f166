import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validate } from '@actions/languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { type Job, readWorkflow, type Step, type Workflow } from './workflow.ts';

type Permissions = Record<string, string>;

/** The permissions that each action needs, from its README and action.yml. */
const neededByAction: Record<string, Permissions> = {
  'actions/checkout': { contents: 'read' },
  'actions/setup-node': {},
  'actions/configure-pages': { pages: 'read' },
  'actions/upload-artifact': {},
  'actions/download-artifact': {},
  'actions/upload-pages-artifact': {},
  'actions/dependency-review-action': { contents: 'read' },
  'actions/attest-build-provenance': { 'id-token': 'write', attestations: 'write' },
  'github/codeql-action/init': {},
  'github/codeql-action/analyze': { 'security-events': 'write' },
  'github/codeql-action/upload-sarif': { 'security-events': 'write' },
  // Publishing the results proves where they come from.
  'ossf/scorecard-action': { 'id-token': 'write' },
  'actions/deploy-pages': { pages: 'write', 'id-token': 'write' },
};

/** The permissions that commands need. Reading a repository's metadata needs none: every token can. */
const neededByCommand: [command: RegExp, needed: Permissions][] = [
  [/\bgit push\b/, { contents: 'write' }],
  [/\bnpm publish\b/, { 'id-token': 'write' }],
  [/\bgh release create\b/, { contents: 'write' }],
  [/\bdocker push\b/, { packages: 'write' }],
  [/\blogin github-oidc\b/, { 'id-token': 'write' }],
  [/\bcatalog ci notify\b/, { issues: 'write' }],
  [/\bcatalog ci intake .*--reply\b/, { issues: 'write', 'pull-requests': 'write' }],
  [/\bgh api "repos\/\$GITHUB_REPOSITORY" --jq /, {}],
  [/\bgh api "repos\/\$GITHUB_REPOSITORY\/pages" --jq /, { pages: 'read' }],
];

/** Everything that is wrong with the workflow in a file: what GitHub would refuse, then what our own rules forbid. */
export async function checkWorkflow(path: string): Promise<string[]> {
  const text = readFileSync(path, 'utf8');
  // It remembers what it found by the address, whatever the text.
  const document = TextDocument.create(`file:///${randomUUID()}.yml`, 'yaml', 0, text);
  const refused = await validate(document);
  const messages = refused.map(({ message, range }) => `line ${range.start.line + 1}: ${message}`);
  return messages.length > 0 ? messages : workflowFaults(readWorkflow(path), text);
}

/**
 * What a workflow must not do, beyond what GitHub checks itself; each fault as a sentence.
 *
 * `text` is the file, for the comments that say which tag a pinned commit is.
 */
export function workflowFaults(workflow: Workflow, text: string): string[] {
  const { on, permissions, jobs } = workflow;
  const faults = [...scheduleFaults(on), ...concurrencyFaults(workflow), ...forkFaults(workflow, text)];
  faults.push(...dayFaults(workflow));
  if ('pull_request_target' in on) faults.push('pull_request_target runs code of strangers with our secrets.');
  if (JSON.stringify(permissions) !== '{}') faults.push('The workflow as a whole has permissions.');
  for (const [name, job] of Object.entries(jobs)) {
    faults.push(...jobFaults(job, text).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

/** GitHub delays or drops runs that start on the hour. Someone must be able to start a dropped run by hand. */
function scheduleFaults(on: Workflow['on']): string[] {
  const crons = (on.schedule ?? []) as { cron: string }[];
  return [
    ...crons.flatMap(({ cron }) => (/^[1-9]\d? /.test(cron) ? [] : [`the cron ${cron} starts on the hour.`])),
    ...(crons.length > 0 && !('workflow_dispatch' in on) ? ['it has a schedule and no workflow_dispatch.'] : []),
  ];
}

/** Runs that write must wait for each other, whatever their branch, and must not be canceled. */
function concurrencyFaults({ concurrency, jobs }: Workflow): string[] {
  const { group = '', 'cancel-in-progress': cancels = false } = concurrency ?? {};
  if (group === '') return ['it has no concurrency group.'];
  if (Object.values(jobs).some(mayWrite)) {
    return [
      // Each GitHub issue has its own branch.
      ...(group.replace(/-\$\{\{ github\.event\.issue\.number \}\}$/, '').includes('${{')
        ? ['it writes, and runs of several branches do not wait for each other.']
        : []),
      ...(cancels ? ['it writes, and a newer run stops it halfway.'] : []),
    ];
  }
  return group.includes('github.ref }}') ? [] : ['a pull request cancels the run of another one.'];
}

/** Commands that ask which agents are due. */
const dependsOnDay = /\bcatalog (?:announce|build|status|validate|ci notify|ci verify(?! --expect))\b/;

/** A run that passes midnight, or is run again, must be about the day of its numbers from the first job to the last. */
function dayFaults({ jobs }: Workflow): string[] {
  const all = Object.entries(jobs).flatMap(([name, { steps }]) => steps.map((step) => ({ name, ...step })));
  if (!all.some(({ run = '' }) => /\bcatalog publish\b/.test(run))) return [];
  return all
    .filter(({ run = '' }) => dependsOnDay.test(run))
    .filter(({ run = '', env }) => !run.includes('--today "$TODAY"') || !/\.outputs\.today }}$/.test(env?.TODAY ?? ''))
    .map(({ name, run }) => `${name}: ${run} does not take the day of the numbers.`);
}

/** The token of a pull request from a fork may only read, and there are no secrets. */
function forkFaults({ on, jobs }: Workflow, text: string): string[] {
  if (!('pull_request' in on)) return [];
  return [
    ...(text.includes('secrets.') ? ['a pull request needs secrets, which one from a fork does not get.'] : []),
    ...(Object.values(jobs).some(mayWrite) ? ['a pull request needs to write, which one from a fork may not.'] : []),
  ];
}

function mayWrite({ permissions }: Job): boolean {
  return Object.values(permissions ?? {}).includes('write');
}

/** Each permission that a job has but does not need, or needs but does not have. */
function permissionFaults({ permissions, steps }: Job): string[] {
  if (permissions === undefined) return ['it has no permissions of its own.'];
  const faults: string[] = [];
  const needed: Permissions = {};
  for (const { uses, run = '' } of steps) {
    const action = uses?.replace(/@.*/, '');
    const ofAction = action === undefined ? {} : neededByAction[action];
    if (ofAction === undefined) faults.push(`no permissions are listed for ${action}.`);
    const commands = neededByCommand.filter(([command]) => command.test(run));
    if (/\bgh\b/.test(run) && commands.length === 0) faults.push(`no permissions are listed for ${run}.`);
    for (const permission of [ofAction ?? {}, ...commands.map(([, each]) => each)]) {
      for (const [name, level] of Object.entries(permission)) {
        if (needed[name] !== 'write') needed[name] = level;
      }
    }
  }
  const lines = (each: object) => Object.entries(each).map(([name, level]) => `${name}: ${level}`);
  const [has, needs] = [lines(permissions as object), lines(needed)];
  faults.push(...has.filter((line) => !needs.includes(line)).map((line) => `it has ${line}, and no step needs it.`));
  faults.push(...needs.filter((line) => !has.includes(line)).map((line) => `it lacks ${line}, which a step needs.`));
  return faults;
}

function jobFaults(job: Job, text: string): string[] {
  const deploys = job.steps.some(({ uses }) => uses?.startsWith('actions/deploy-pages@'));
  const pushes = job.steps.some(({ run }) => /\bgit push\b/.test(run ?? ''));
  return [
    ...permissionFaults(job),
    ...(deploys && job.environment?.name !== 'github-pages' ? ['it deploys outside of environment github-pages.'] : []),
    ...(pushes && !job.steps.some(keepsCredentials) ? ['it pushes, and no checkout keeps persist-credentials.'] : []),
    ...(job.steps.some(readsHistory) && !job.steps.some(fetchesHistory)
      ? ['it reads the history of the numbers, and no checkout has fetch-depth 0.']
      : []),
    ...(job['timeout-minutes'] === undefined ? ['it has no timeout-minutes.'] : []),
    ...(mayPush(job) && job.steps.some(runsCode) ? ['it may push, and runs more than git.'] : []),
    ...(mayPush(job) && job.steps.some(checksOutNamed) ? ['it may push, and an earlier job names the commit.'] : []),
    ...job.steps.flatMap((step) => stepFaults(step, mayPush(job), text)),
  ];
}

/** Whether a step asks which numbers agents had that were deleted since, or when an agent changed. */
function readsHistory({ run = '' }: Step): boolean {
  return /\bcatalog (?:announce|validate|publish|ci notify|ci intake|build)\b/.test(run);
}

function fetchesHistory({ uses, with: inputs = {} }: Step): boolean {
  return uses?.startsWith('actions/checkout@') === true && String(inputs['fetch-depth']) === '0';
}

/** Whether a step runs code that a pull request or a dependency can change: a token that may push is then within its reach. */
function runsCode({ uses, run = '' }: Step): boolean {
  return (
    (uses !== undefined && !/^actions\/(?:checkout|download-artifact)@/.test(uses)) ||
    /\b(?:npm|npx|node|yarn|pnpm|catalog)\b/.test(run)
  );
}

/** Whether a step checks out a commit that another job or step named: what ran there could name any commit. */
function checksOutNamed({ uses, with: inputs = {} }: Step): boolean {
  return uses?.startsWith('actions/checkout@') === true && inputs.ref !== undefined;
}

function mayPush({ permissions }: Job): boolean {
  return (permissions as { contents?: string } | undefined)?.contents === 'write';
}

function stepFaults({ uses, run = '', with: inputs = {} }: Step, push: boolean, text: string): string[] {
  const faults: string[] = [];
  if (run.includes('${{')) faults.push(`a run command holds an expression: ${run}`);
  // docs.npmjs.com/cli/v11/using-npm/package-spec: `<user>/<repo>` is a repository on GitHub, also if it ends in .tgz.
  if (/\bnpm (?:install|publish)\b.* \w[^ /]*\/\S*\.tgz/.test(run))
    faults.push(`npm takes a folder for an account: ${run}`);
  if (uses === undefined) return faults;
  if (!/@[0-9a-f]{40}$/.test(uses)) faults.push(`${uses} is not pinned by 40 hex digits.`);
  else if (!text.split('\n').some((line) => line.includes(uses) && /# v\d+\.\d+\.\d+$/.test(line))) {
    faults.push(`${uses} has no comment with its tag.`);
  }
  if (keepsCredentials({ uses, with: inputs }) && !push) faults.push('a checkout keeps persist-credentials.');
  if (/^actions\/upload-(?:pages-)?artifact@/.test(uses) && String(inputs['include-hidden-files']) !== 'true') {
    faults.push('the artifact lacks include-hidden-files, and so .well-known.');
  }
  return faults;
}

function keepsCredentials({ uses, with: inputs = {} }: Step): boolean {
  return uses?.startsWith('actions/checkout@') === true && String(inputs['persist-credentials'] ?? true) === 'true';
}
