import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validate } from '@actions/languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { type Job, readWorkflow, type Step, type Workflow } from './workflow.ts';

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
export function workflowFaults({ on, permissions, jobs }: Workflow, text: string): string[] {
  const faults: string[] = [];
  if ('pull_request_target' in on) faults.push('pull_request_target runs code of strangers with our secrets.');
  if (JSON.stringify(permissions) !== '{}') faults.push('The workflow as a whole has permissions.');
  for (const [name, job] of Object.entries(jobs)) {
    faults.push(...jobFaults(job, text).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

function jobFaults(job: Job, text: string): string[] {
  return [
    ...(job.permissions === undefined ? ['it has no permissions of its own.'] : []),
    ...(job['timeout-minutes'] === undefined ? ['it has no timeout-minutes.'] : []),
    ...(mayPush(job) && job.steps.some(runsCode) ? ['it may push, and runs more than git.'] : []),
    ...(mayPush(job) && job.steps.some(checksOutNamed) ? ['it may push, and an earlier job names the commit.'] : []),
    ...job.steps.flatMap((step) => stepFaults(step, mayPush(job), text)),
  ];
}

/** Whether a step runs code that a pull request or a dependency can change: a token that may push is then within its reach. */
function runsCode({ uses, run = '' }: Step): boolean {
  return (
    (uses !== undefined && !uses.startsWith('actions/checkout@')) || /\b(?:npm|npx|node|yarn|pnpm|catalog)\b/.test(run)
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
  if (uses === undefined) return faults;
  if (!/@[0-9a-f]{40}$/.test(uses)) faults.push(`${uses} is not pinned by 40 hex digits.`);
  else if (!text.split('\n').some((line) => line.includes(uses) && /# v\d+\.\d+\.\d+$/.test(line))) {
    faults.push(`${uses} has no comment with its tag.`);
  }
  const keeps = String(inputs['persist-credentials'] ?? true) === 'true';
  if (uses.startsWith('actions/checkout@') && keeps && !push) faults.push('a checkout keeps persist-credentials.');
  if (uses.startsWith('actions/upload-pages-artifact@') && String(inputs['include-hidden-files']) !== 'true') {
    faults.push('the artifact lacks include-hidden-files, and so .well-known.');
  }
  return faults;
}
