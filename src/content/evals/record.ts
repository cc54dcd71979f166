import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { parseBoundedJson } from '../../lib/bounded.ts';
import { runChild } from '../../lib/children.ts';
import { explainSystemError, OperationError, orElse, UsageError } from '../../lib/errors.ts';
import { makeFolder, replaceFile, sha256Of } from '../../lib/files.ts';
import { type HttpFailed, httpRequest, retryAfterMs } from '../../lib/http.ts';
import type { OnProgress } from '../../lib/lazy.ts';
import { maskSecrets } from '../../lib/secrets.ts';
import { plural } from '../../lib/text.ts';
import { programPage } from '../../program.ts';
import { prettyReport } from '../../schema/diagnostics/report.ts';
import { type Recorded, recordingSource } from '../../schema/evals.ts';
import { evalMessages } from '../../schema/messages/evals.ts';
import type { Settings } from '../../schema/settings.ts';
import { checkContent } from '../load.ts';
import { modelFolder } from '../parse/evals.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { maxFileBytes, pathOf, type SourceFolder } from '../read.ts';
import { messageOf } from './promptfoo.ts';

/** Asks models for answers to the cases of agents, and stores them as evals/recordings/. */

/** Something that answers messages: an API, a command, or a person who pastes answers. */
interface Model {
  /** Its name, as the provider names it. */
  name: string;
  made: Recorded['made'];
  /** Throws NoAnswer if there is no answer. */
  ask(message: string): Promise<Reply>;
}

/** An answer, and what recording.json says about it. */
interface Reply extends Pick<Recorded, 'tokens' | 'note'> {
  text: string;
}

/** There is no answer, or none that can be stored. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether no other message would get an answer either, as with a wrong key. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** A kind of API, and the service that it comes from. */
interface Api {
  /** The address of the service, to which `path` is added. */
  url: string;
  path: string;
  /** The environment variable with the key of the service. */
  keyVariable: string;
  headers(key: string): Record<string, string>;
  /** Fields that a request needs besides the model and the message. */
  defaults: Record<string, number>;
  reply: z.ZodType<{ text: string; end: unknown; tokens: Recorded['tokens']; model: string | undefined }>;
}

const model = z.string().optional().catch(undefined);
const count = z.int().min(0).optional();
const endReason = z.unknown().optional();
const part = z.object({ text: z.string().default('') });
/** The parts of an answer, of which the thoughts of a model have no `text`. */
const parts = z.array(part).transform((all) => all.map(({ text }) => text).join(''));
const message = z.object({ content: z.string().or(parts).nullish() });

/** The APIs that `catalog eval --record` can use. */
const apis = {
  openai: {
    url: 'https://api.openai.com/v1',
    path: '/chat/completions',
    keyVariable: 'OPENAI_API_KEY',
    headers: (key): Record<string, string> => (key === '' ? {} : { authorization: `Bearer ${key}` }),
    defaults: {},
    reply: z
      .object({
        choices: z.tuple([z.object({ message, finish_reason: endReason })], z.any()),
        usage: z.object({ prompt_tokens: count, completion_tokens: count }).optional().catch(undefined),
        model,
      })
      .transform(({ choices: [{ message, finish_reason }], usage, model }) => {
        const tokens = usage && { input: usage.prompt_tokens, output: usage.completion_tokens };
        return { text: message.content ?? '', end: finish_reason, tokens, model };
      }),
  },
  anthropic: {
    url: 'https://api.anthropic.com/v1',
    path: '/messages',
    keyVariable: 'ANTHROPIC_API_KEY',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    defaults: { max_tokens: 8192 },
    reply: z
      .object({
        content: parts,
        stop_reason: endReason,
        usage: z.object({ input_tokens: count, output_tokens: count }).optional().catch(undefined),
        model,
      })
      .transform(({ content: text, stop_reason: end, usage, model }) => {
        const tokens = usage && { input: usage.input_tokens, output: usage.output_tokens };
        return { text, end, tokens, model };
      }),
  },
} satisfies Record<string, Api>;

/** The flags that say which model answers, and what is stored with its answers. */
interface ModelOptions extends Pick<Recorded, 'note'> {
  api: keyof typeof apis;
  /** The address of another service with this API. */
  url?: string | undefined;
  /** A shell command that is asked instead: it gets the message on stdin and prints the answer. */
  command?: string | undefined;
  /** Further fields of each request. */
  setting?: Recorded['settings'];
  ask?: string | undefined;
  /** For one attempt, in seconds. */
  timeout: number;
}

/** The variable with the key of any service. */
const keyVariable = 'CATALOG_EVAL_KEY';

/**
 * Returns the model `name` behind an API or a command. An API is asked again after 408, 429, 5xx and broken connections, with
 * growing pauses. Its key is in `environment`, and is never printed or stored. Throws UsageError if the options cannot be used.
 */
export function openModel(name: string, options: ModelOptions, environment: NodeJS.ProcessEnv): Model {
  const { url, command, setting } = options;
  const timeoutMs = options.timeout * 1_000;
  if (command !== undefined) return commandModel(command, name, timeoutMs);
  const api: Api = apis[options.api];
  const key = keyFor(api, options, environment);
  const address = `${(url ?? api.url).replace(/\/+$/, '')}${api.path}`;
  const ask = async (content: string) => {
    const messages = [{ role: 'user', content }];
    const body = JSON.stringify({ ...api.defaults, ...setting, model: name, messages });
    for (let pauseMs = 1_000, attempt = 0; ; pauseMs *= 2, attempt += 1) {
      const response = await request(address, body, api.headers(key), timeoutMs);
      const { status, retryAfter } = response;
      if (status === 200) return readReply(api, response.body, name, key);
      const isPassing = status === null || status === 408 || status === 429 || status >= 500;
      const wait = retryAfterMs(retryAfter, Date.now()) ?? pauseMs * (1 + Math.random());
      if (!isPassing || attempt === retries || wait > longestPauseMs) throw refusal(response, key);
      await sleep(wait);
    }
  };
  return { name, made: 'api', ask };
}

/** Returns the key of an API; '' if the service needs none. */
function keyFor(api: Api, { url, setting, ask, note }: ModelOptions, environment: NodeJS.ProcessEnv): string {
  // The key of a service never goes to another one.
  const ownKey = url === undefined ? environment[api.keyVariable] : undefined;
  const key = (environment[keyVariable] || ownKey || '').trim();
  if (key === '' && url === undefined)
    throw new UsageError(`Set a key in ${keyVariable} or ${api.keyVariable}, or use --url, --command or --paste.`);
  if (!/^[\x21-\x7e]*$/.test(key)) throw new UsageError('The key has characters that no key can have. Copy it again.');
  if (key !== '' && JSON.stringify([ask, note, setting]).includes(key))
    throw new UsageError('What --ask, --note or --setting says is public, and it contains your key. Leave it out.');
  if (url !== undefined) checkUrl(url, key !== '');
  return key;
}

function checkUrl(text: string, hasKey: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.search}${url.hash}` !== '')
    throw new UsageError('--url has to be an address such as https://api.example.com/v1.');
  if (`${url.username}${url.password}` !== '')
    throw new UsageError(`--url has a user name or password. Put a key into ${keyVariable} instead.`);
  if (hasKey && url.protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname))
    throw new UsageError(`--url has to start with https, or the key in ${keyVariable} could be read on the way.`);
}

/** How often a request is repeated, the longest pause that a service can ask for, and the largest response that is read. */
const retries = 4;
const longestPauseMs = 120_000;
const maxBytes = 2 * 1024 * 1024;

/** `status` is null if the connection broke, and `body` is then the code of the error. */
interface Response {
  status: number | null;
  retryAfter: string;
  body: string;
}

async function request(
  address: string,
  body: string,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await httpRequest(address, { method: 'POST', headers, body, signal, maxBytes });
    const retryAfter = answer.headers.get('retry-after') ?? '';
    return { status: answer.status, retryAfter, body: await answer.text() };
  } catch (error) {
    const { reason, code } = error as HttpFailed;
    if (reason === 'size') throw new NoAnswer(`The response has more than ${maxBytes} bytes.`);
    if (reason === 'timeout' || code === 'UND_ERR_HEADERS_TIMEOUT')
      throw new NoAnswer(`There was no complete answer within ${plural(Math.min(timeoutMs / 1_000, 300), 'second')}.`);
    if (/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(code))
      throw new NoAnswer(`${address} cannot be reached (${code}). Check the address, and that the server runs.`, true);
    return { status: null, retryAfter: '', body: code };
  }
}

function readReply(api: Api, body: string, name: string, key: string): Reply {
  const { data } = api.reply.safeParse(orElse(() => parseBoundedJson(body), undefined));
  if (data === undefined) {
    const said = errorIn(body, key);
    if (said !== '') throw new NoAnswer(`The service reports an error. It says: ${said}`);
    throw new NoAnswer('The response is not one of this API. Check --url, and --api if the service has another API.');
  }
  const { text, end, tokens, model } = data;
  if (/^(?:length|max_tokens|model_context_window_exceeded)$/.test(String(end)))
    throw new NoAnswer(
      'The answer was cut off at the limit of tokens. Raise it, such as --setting max_tokens=16000; newer models of OpenAI call it max_completion_tokens.',
    );
  // What came before a filter or an error stopped the model is no answer. A model that declines in its own words ends as usual.
  if (/^(?:content_filter|refusal|error)$/.test(String(end)))
    throw new NoAnswer(`The service stopped the answer (${end}), so it is not stored.`);
  if (key !== '' && JSON.stringify(data).includes(key))
    throw new NoAnswer('The response contains your key, so it is not stored.');
  // A name is often short for a dated version.
  const isVersion = model !== undefined && model !== name && /^[\w.:/@+-]{1,100}$/.test(model);
  return { text, tokens, ...(isVersion && { note: `The service names the model ${model}.` }) };
}

const errorBody = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/** Returns the message of an error; '' if there is none. The texts of services can repeat the key. */
function errorIn(body: string, key: string): string {
  const { error = '' } = errorBody.safeParse(orElse(() => parseBoundedJson(body), undefined)).data ?? {};
  const text = typeof error === 'string' ? error : error.message;
  return maskSecrets(key === '' ? text : text.replaceAll(key, '…'))
    .replace(/\s+/g, ' ')
    .slice(0, 300);
}

/** Says why there is no answer. */
function refusal({ status, retryAfter, body }: Response, key: string): NoAnswer {
  if (status === null) return new NoAnswer(`The connection broke ${retries + 1} times (${body}).`);
  const said = errorIn(body, key);
  const checkKey = ' Check the key: see npx --no daily-agent-catalog help eval.';
  const hints: Record<number, string> = { 401: checkKey, 403: checkKey, 404: ' Check --model and --url.' };
  const hint = status < 400 ? ' Give the new address with --url.' : (hints[status] ?? '');
  const wait = retryAfter === '' ? '' : ` (Retry-After: ${retryAfter.slice(0, 40)})`;
  const isFinal = status < 400 || Object.hasOwn(hints, status);
  return new NoAnswer(
    `The service answered ${status}${wait}.${hint}${said === '' ? '' : ` It says: ${said}`}`,
    isFinal,
  );
}

function commandModel(command: string, name: string, timeoutMs: number): Model {
  const ask = async (input: string) => {
    const run = { shell: true, ownGroup: true, input, timeoutMs, maxBytes };
    const { code, stdout, stderr, failure } = await runChild(command, [], run);
    if (failure === 'output') throw new NoAnswer(`The command printed more than ${maxBytes} bytes.`);
    if (failure === 'timeout') throw new NoAnswer(`The command took more than ${plural(timeoutMs / 1000, 'second')}.`);
    if (code !== 0) {
      const said = maskSecrets(stderr.toString('utf8').trim()).split('\n').at(-1)?.slice(0, 300);
      const how = code === null ? 'was killed' : `failed (exit code ${code})`;
      // The shell ends with 126 or 127 if it cannot run a program.
      throw new NoAnswer(`The command ${how}${said ? `: ${said}` : '.'}`, code === 126 || code === 127);
    }
    if (isUtf8(stdout)) return { text: stdout.toString('utf8') };
    throw new NoAnswer('The output of the command is not UTF-8 text.');
  };
  return { name, made: 'command', ask };
}

/** Returns the entries of a recording.json by case; none if it does not exist. Throws OperationError if it has errors. */
function entriesOf(cwd: string, path: string): Record<string, Recorded> {
  if (!existsSync(join(cwd, path))) return {};
  try {
    return recordingSource.parse(JSON.parse(readFileSync(join(cwd, path), 'utf8'))).cases;
  } catch (cause) {
    throw new OperationError(`${path} has errors. Run npx --no daily-agent-catalog validate.`, { cause });
  }
}

/** Checks an answer as `catalog validate` does, and writes it to a file of an agent. Throws NoAnswer if it has errors. */
function storeAnswer(
  { cwd, agent, file, text }: { cwd: string; agent: SourceFolder; file: string; text: string },
  settings: Settings,
  today: string,
): void {
  const bytes = Buffer.from(text.replace(/\r\n?/g, '\n'));
  if (text.trim() === '') throw new NoAnswer('The answer is empty, so it is not stored.');
  if (bytes.length > maxFileBytes)
    throw new NoAnswer(`The answer has ${bytes.length} bytes; at most ${maxFileBytes} can be stored.`);
  const path = pathOf(agent.slug, file);
  const files = [...agent.files.filter(({ name }) => name !== file), { name: file, bytes, problem: null }];
  const { folders } = checkContent([{ slug: agent.slug, files, problem: null }], settings, today);
  const errors = folders
    .flatMap(({ diagnostics }) => diagnostics)
    .filter(
      ({ file, severity, code }) => file === path && severity === 'error' && !/^(?:editorial|evals)\//.test(code),
    );
  const refused = errors.map((error) => ({ ...error, ...evalMessages.notStored(error.message) }));
  if (refused.length > 0)
    throw new NoAnswer(`The answer is not stored:\n\n${prettyReport(refused, { color: false })}\n`);
  makeFolder(dirname(join(cwd, path)));
  replaceFile(join(cwd, path), bytes);
}

/** Says in recording.json how the answer to a case was made. */
function storeEntry(cwd: string, path: string, name: string, recorded: Recorded): void {
  const entries = Object.entries({ ...entriesOf(cwd, path), [name]: recorded }).sort(([a], [b]) => (a < b ? -1 : 1));
  // Parsing puts the keys of each entry into the same order, so that an answer changes no line of another one.
  const recording = recordingSource.parse({ cases: Object.fromEntries(entries) });
  replaceFile(join(cwd, path), `${JSON.stringify(recording, null, 2)}\n`);
}

/** An agent as it was read. */
interface ReadAgent extends ParsedFolder {
  source: SourceFolder;
}

interface RecordOptions {
  cwd: string;
  settings: Settings;
  today: string;
  /** Whether to record the answers without the prompt too. */
  withoutPrompt: boolean;
  /** The sentence before the input, if there is no prompt. By default, the one of the existing answer, or none. */
  ask?: string | undefined;
  /** Which existing answers to record again. */
  replace: 'none' | 'stale' | 'all';
  /** How many questions are asked at a time. */
  concurrency: number;
  /** How many answers to record at most. */
  most: number;
  /** The fields of recording.json about all answers. */
  about: Pick<Recorded, 'note' | 'settings'>;
  onProgress: OnProgress;
  /** Runs `write` while no other command changes agents. */
  changing(write: () => void): Promise<void>;
}

interface Outcome {
  recorded: number;
  /** Answers that exist already. Of these, `stale` are out of date. */
  kept: number;
  stale: number;
  /** Answers that were not asked for, because of a failure or of `most`. */
  left: number;
  /** `case` is null if no answer of the agent can be recorded. */
  failures: { slug: string; case: string | null; message: string }[];
  tokens: { input: number; output: number };
}

/** The answers to a case that are recorded, in this order. */
interface Task {
  agent: SourceFolder;
  name: string;
  digests: Pick<Recorded, 'promptSha256' | 'inputSha256'>;
  parts: { file: string; message: string; ask?: string | undefined; isMain: boolean }[];
}

/** Asks a model for answers, and stores each as soon as it is complete. Existing answers stay, unless `replace` says otherwise. */
export async function record(agents: readonly ReadAgent[], model: Model, options: RecordOptions): Promise<Outcome> {
  const outcome: Outcome = { recorded: 0, kept: 0, stale: 0, left: 0, failures: [], tokens: { input: 0, output: 0 } };
  const fail = (slug: string, name: string | null, error: unknown) => {
    const isExplained = error instanceof NoAnswer || error instanceof OperationError;
    const message = isExplained ? error.message : explainSystemError(error);
    if (message === null) throw error;
    outcome.failures.push({ slug, case: name, message });
  };
  const tasks = agents.flatMap((agent) => {
    try {
      return tasksOf(agent, model, options, outcome);
    } catch (error) {
      fail(agent.slug, null, error);
      return [];
    }
  });
  outcome.left = tasks.reduce((sum, { parts }) => sum + parts.length, 0);
  const total = Math.min(outcome.left, options.most);
  let asked = 0;
  let isStopped = false;
  options.onProgress('Recording', 0, total);
  const queue = tasks.values();
  const work = async () => {
    for (const task of queue) {
      for (const part of task.parts) {
        if (isStopped || asked >= options.most) return;
        asked += 1;
        outcome.left -= 1;
        try {
          await recordPart(task, part, model, options, outcome);
        } catch (error) {
          fail(task.agent.slug, task.name, error);
          // On a full disk, each further answer would be paid for and lost.
          isStopped ||=
            error instanceof NoAnswer ? error.isFinal : explainSystemError((error as Error).cause ?? error) !== null;
          break;
        }
        options.onProgress('Recording', outcome.recorded + outcome.failures.length, total);
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return outcome;
}

/** Returns what to record of an agent, and counts the other answers. Throws OperationError if nothing can be recorded. */
function tasksOf({ slug, source, written }: ReadAgent, model: Model, options: RecordOptions, outcome: Outcome): Task[] {
  const { files } = source;
  const { prompt, evals } = written?.texts() ?? {};
  const names = files.map(({ name }) => name);
  if (!names.includes('evals/checks.yaml')) throw new OperationError('It has no evals/checks.yaml, so no cases.');
  // A symbolic link could lead out of the folder.
  const isUnsafe = files.some(({ name, problem }) => name.startsWith('evals') && problem !== null);
  if (prompt === undefined || evals == null || isUnsafe)
    throw new OperationError(`Its files have errors. Run npx --no daily-agent-catalog validate ${slug}.`);
  const folder = `evals/recordings/${modelFolder(model.name)}`;
  const entries = entriesOf(options.cwd, pathOf(slug, `${folder}/recording.json`));
  const other = Object.values(entries).find((entry) => entry.model !== model.name);
  if (other !== undefined)
    throw new OperationError(`${folder} has answers of ${other.model}. Use that name, or rename the folder.`);
  return evals.cases.flatMap(({ name, input, turns }): Task[] => {
    const digests = { promptSha256: sha256Of(prompt), inputSha256: sha256Of(input) };
    const entry = entries[name];
    const hasOtherInput = entry?.inputSha256 !== digests.inputSha256;
    const hasOtherPrompt = entry?.promptSha256 !== digests.promptSha256;
    const stays = ({ file, isMain }: { file: string; isMain: boolean }) => {
      const isStale = hasOtherInput || (isMain && hasOtherPrompt);
      if (!names.includes(file) || options.replace === 'all' || (options.replace === 'stale' && isStale)) return false;
      outcome.kept += 1;
      outcome.stale += isStale ? 1 : 0;
      return true;
    };
    const main = { file: `${folder}/${name}.txt`, message: messageOf(prompt, input), isMain: true };
    if (turns.length > 0) {
      const message = `It is a conversation. Record it by hand: see ${programPage('docs/evals.md')}`;
      if (!stays(main)) outcome.failures.push({ slug, case: name, message });
      return [];
    }
    const ask = options.ask ?? entry?.withoutPrompt?.ask;
    const plain = ask === undefined ? input : `${ask}\n\n${input}`;
    const bare = { file: `${folder}/${name}.without-prompt.txt`, message: plain, ask, isMain: false };
    const hasBare = names.includes(bare.file);
    // An existing answer without the prompt comes first: once the entry is new, the old answer would count as new too.
    const parts = hasBare ? [bare, main] : options.withoutPrompt && input.trim() !== '' ? [main, bare] : [main];
    return [{ agent: source, name, digests, parts: parts.filter((part) => !stays(part)) }];
  });
}

async function recordPart(
  { agent, name, digests }: Task,
  { file, message, ask, isMain }: Task['parts'][number],
  model: Model,
  { cwd, settings, today, about, changing }: RecordOptions,
  outcome: Outcome,
): Promise<void> {
  const { text, ...facts } = await model.ask(message);
  outcome.tokens.input += facts.tokens?.input ?? 0;
  outcome.tokens.output += facts.tokens?.output ?? 0;
  const path = pathOf(agent.slug, file.replace(/[^/]+$/, 'recording.json'));
  const note = noteOf(facts.note, about.note);
  const entry = { model: model.name, date: today, made: model.made, ...digests, ...facts, ...about, ...note };
  await changing(() => {
    if (!existsSync(join(cwd, pathOf(agent.slug, 'evals/checks.yaml'))))
      throw new OperationError('Its agent was renamed or deleted meanwhile, so the answer is not stored.');
    storeAnswer({ cwd, agent, file, text }, settings, today);
    const { [name]: before } = entriesOf(cwd, path);
    if (isMain) storeEntry(cwd, path, name, { ...entry, withoutPrompt: before?.withoutPrompt });
    else if (before !== undefined && ask !== undefined)
      storeEntry(cwd, path, name, { ...before, withoutPrompt: { model: model.name, date: today, ask } });
  });
  outcome.recorded += 1;
}

/** Joins what the service and the editor say about an answer. If that is too long for a note, the editor decides. */
function noteOf(service: string | undefined, editor: string | undefined): Pick<Recorded, 'note'> {
  const note = [service, editor].filter((text) => text !== undefined).join(' ');
  if (note === '') return {};
  return { note: note.length > 500 && editor !== undefined ? editor : note };
}
