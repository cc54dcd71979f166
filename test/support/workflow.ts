import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import yaml from 'js-yaml';
import { type Finished, run } from './process.ts';

/** A workflow file of GitHub Actions, with the parts that this imitation supports. */
export interface Workflow {
  on: Record<string, unknown>;
  permissions?: unknown;
  concurrency?: { group?: string; 'cancel-in-progress'?: boolean };
  jobs: Record<string, Job>;
}

export interface Job {
  needs?: string | string[];
  if?: string;
  permissions?: unknown;
  environment?: { name?: string };
  'timeout-minutes'?: number;
  outputs?: Record<string, string>;
  steps: Step[];
}

export interface Step {
  name?: string;
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  'continue-on-error'?: boolean;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

type Values = { [name: string]: unknown };
type Outputs = Record<string, string>;

/** The imitation of GitHub that a workflow runs against. */
export interface Surroundings {
  /** The contexts that the workflow reads: github, vars, secrets. */
  contexts: { github: Values; vars: Values; secrets: Values };
  /** The environment of every step, beside GitHub's own variables. */
  env: NodeJS.ProcessEnv;
  /** A new empty folder for the files of a job and its steps; it is removed at the end. */
  temporary: string;
  /**
   * The imitations of actions, by name without the version. Each returns the outputs of the action, or null if it
   * fails.
   */
  actions: Record<string, Action>;
  /**
   * Runs a step that is one plain command, given its words with the values of variables; undefined if bash has to run it.
   * Without it, bash runs every step.
   */
  command?: (words: readonly string[], place: { cwd: string; env: NodeJS.ProcessEnv }) => Promise<Finished> | undefined;
  /** Called before each step that runs a command: where two runs meet. */
  beforeStep?: (job: string, step: Step) => void | Promise<void>;
}

/** Does what an action does and returns its outputs, or null if it fails. */
export type Action = (call: ActionCall) => Outputs | null | Promise<Outputs | null>;

export interface ActionCall {
  /** The folder of the job, where its commands run. */
  workspace: string;
  with: Record<string, string>;
  job: string;
}

/** How a workflow went. */
export interface Run {
  results: Record<string, 'success' | 'failure' | 'skipped'>;
  outputs: Record<string, Record<string, string>>;
  /** The steps that ran a command, in order. */
  steps: { job: string; name: string; code: number | null; stdout: string; stderr: string }[];
  /** The summaries of all steps, one after the other. */
  summary: string;
}

export function readWorkflow(path: string): Workflow {
  return yaml.load(readFileSync(path, 'utf8'), { schema: yaml.CORE_SCHEMA }) as Workflow;
}

/**
 * Runs a workflow: its jobs in the order of their needs, its conditions and expressions with GitHub's own evaluator,
 * and its commands in bash as a runner calls it, with files for outputs and summaries. Actions are imitated.
 */
export async function playWorkflow({ jobs }: Workflow, surroundings: Surroundings): Promise<Run> {
  const play: Run = { results: {}, outputs: {}, steps: [], summary: '' };
  const waiting = new Map(Object.entries(jobs));
  while (waiting.size > 0) {
    const ready = [...waiting].find(([, job]) => needsOf(job).every((name) => play.results[name] !== undefined));
    if (ready === undefined) throw new Error('The needs of the jobs go in a circle.');
    const [name, job] = ready;
    waiting.delete(name);
    await playJob(name, job, surroundings, play);
  }
  return play;
}

function needsOf({ needs = [] }: Job): string[] {
  return typeof needs === 'string' ? [needs] : needs;
}

async function playJob(name: string, job: Job, surroundings: Surroundings, play: Run): Promise<void> {
  const needs = Object.fromEntries(
    needsOf(job).map((need) => [need, { result: play.results[need], outputs: play.outputs[need] ?? {} }]),
  );
  const folder = mkdtempSync(join(surroundings.temporary, `${name}-`));
  const contexts: Values = { ...surroundings.contexts, needs, runner: { temp: folder }, steps: {} };
  const wellBefore = Object.values(needs).every(({ result }) => result === 'success');
  if (!holds(job.if, contexts, wellBefore, '')) {
    play.results[name] = 'skipped';
    rmSync(folder, { recursive: true });
    return;
  }
  const workspace = join(folder, 'work');
  mkdirSync(workspace);
  let well = true;
  for (const [index, step] of job.steps.entries()) {
    if (!holds(step.if, contexts, well, workspace)) continue;
    const outputs = join(folder, `output-${index}`);
    const summary = join(folder, `summary-${index}`);
    for (const file of [outputs, summary]) writeFileSync(file, '');
    let result: Outputs | null;
    if (step.uses !== undefined) {
      const action = surroundings.actions[step.uses.replace(/@.*/, '')];
      if (action === undefined) throw new Error(`${step.uses} is not imitated.`);
      result = await action({ workspace, with: filled(step.with ?? {}, contexts), job: name });
    } else {
      await surroundings.beforeStep?.(name, step);
      const done = await runStep(step.run ?? '', surroundings, workspace, {
        ...surroundings.env,
        ...filled(step.env ?? {}, contexts),
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: workspace,
        RUNNER_TEMP: folder,
        GITHUB_OUTPUT: outputs,
        GITHUB_STEP_SUMMARY: summary,
      });
      play.steps.push({ job: name, name: step.name ?? step.run ?? '', ...done });
      play.summary += readFileSync(summary, 'utf8');
      result = done.code === 0 ? readOutputs(readFileSync(outputs, 'utf8')) : null;
    }
    well &&= result !== null || step['continue-on-error'] === true;
    const outcome = result === null ? 'failure' : 'success';
    if (step.id !== undefined) (contexts.steps as Values)[step.id] = { outputs: result ?? {}, outcome };
  }
  play.results[name] = well ? 'success' : 'failure';
  play.outputs[name] = filled(job.outputs ?? {}, contexts);
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the command of a step as a runner does, except for a plain command that the surroundings can run. */
function runStep(text: string, { command }: Surroundings, cwd: string, env: NodeJS.ProcessEnv): Promise<Finished> {
  const isPlain = /^(?:[\w./:-]+|"\$\w+")(?: (?:[\w./:-]+|"\$\w+"))*$/.test(text);
  const words = text.split(' ').map((word) => (word.startsWith('"$') ? (env[word.slice(2, -1)] ?? '') : word));
  const done = isPlain ? command?.(words, { cwd, env }) : undefined;
  return done ?? run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', text], { cwd, env });
}

/** Evaluates a condition. It requires success unless it names a status function. */
function holds(condition: string | undefined, contexts: Values, well: boolean, workspace: string): boolean {
  if (condition === undefined) return well;
  const expression = condition.replace(/^\s*\$\{\{|\}\}\s*$/g, '');
  const asked = /\b(?:success|failure|always|cancelled)\(/.test(expression);
  return (asked || well) && evaluate(expression, contexts, well, workspace).coerceString() === 'true';
}

function filled(values: Values, contexts: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      String(value).replace(/\$\{\{(.*?)\}\}/gs, (_, expression) =>
        evaluate(expression, contexts, true, '').coerceString(),
      ),
    ]),
  );
}

function evaluate(expression: string, contexts: Values, well: boolean, workspace: string) {
  const status = (name: string, value: boolean) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  });
  const functions = [
    status('success', well),
    status('failure', !well),
    status('always', true),
    status('cancelled', false),
    {
      name: 'hashFiles',
      minArgs: 1,
      maxArgs: 1,
      call: (path: data.ExpressionData) => new data.StringData(hashOf(join(workspace, path.coerceString()))),
    },
  ];
  const tree = new Parser(new Lexer(expression.trim()).lex().tokens, Object.keys(contexts), functions).parse();
  const named = new Map(functions.map((item) => [item.name.toLowerCase(), item]));
  return new Evaluator(tree, toData(contexts) as data.Dictionary, named).evaluate();
}

/** Replaces a hash: here, only whether the file exists matters. */
function hashOf(path: string): string {
  try {
    return String(readFileSync(path).length);
  } catch {
    return '';
  }
}

function toData(value: unknown): data.ExpressionData {
  if (typeof value === 'boolean') return new data.BooleanData(value);
  if (typeof value === 'object' && value !== null) {
    return new data.Dictionary(...Object.entries(value).map(([key, item]) => ({ key, value: toData(item) })));
  }
  return value === undefined || value === null ? new data.Null() : new data.StringData(String(value));
}

/** The file of outputs as a runner reads it: `name=value`, or `name<<mark` with lines up to the mark. */
function readOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const [, name = '', kind, rest = ''] = /^([\w-]+)(<<|=)(.*)$/.exec(lines[index] ?? '') ?? [];
    if (kind === '=') outputs[name] = rest;
    if (kind !== '<<') continue;
    const end = lines.indexOf(rest, index + 1);
    outputs[name] = lines.slice(index + 1, end).join('\n');
    index = end;
  }
  return outputs;
}
