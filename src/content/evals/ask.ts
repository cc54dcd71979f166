import { isUtf8 } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { parseBoundedJson } from '../../lib/bounded.ts';
import { type Ended, runChild } from '../../lib/children.ts';
import { type HttpFailed, httpRequest, retryAfterMs } from '../../lib/http.ts';
import { maskSecrets } from '../../lib/secrets.ts';
import type { Recorded } from '../../schema/evals.ts';
import { type Model, NoAnswer, type Reply } from './record.ts';

/** A kind of API, and the service that it comes from. */
export interface Api {
  /** The address of the service, to which `path` is added. */
  url: string;
  path: string;
  /** The environment variable with the key of the service. */
  keyVariable: string;
  headers(key: string): Record<string, string>;
  /** Fields that a request needs besides the model and the message. */
  defaults: Record<string, number>;
  reply: z.ZodType<{ text: string; isCutOff: boolean; tokens: Recorded['tokens']; model: string | undefined }>;
}

const model = z.string().optional().catch(undefined);
const count = z.int().min(0).optional();

/** The APIs that `catalog eval --record` can use. */
export const apis = {
  openai: {
    url: 'https://api.openai.com/v1',
    path: '/chat/completions',
    keyVariable: 'OPENAI_API_KEY',
    headers: (key): Record<string, string> => (key === '' ? {} : { authorization: `Bearer ${key}` }),
    defaults: {},
    reply: z
      .object({
        choices: z.tuple(
          [z.object({ message: z.object({ content: z.string().nullish() }), finish_reason: z.unknown().optional() })],
          z.any(),
        ),
        usage: z.object({ prompt_tokens: count, completion_tokens: count }).optional().catch(undefined),
        model,
      })
      .transform(({ choices: [{ message, finish_reason }], usage, model }) => {
        const tokens = usage && { input: usage.prompt_tokens, output: usage.completion_tokens };
        return { text: message.content ?? '', isCutOff: finish_reason === 'length', tokens, model };
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
        content: z.array(z.object({ text: z.string().default('') })),
        stop_reason: z.unknown().optional(),
        usage: z.object({ input_tokens: count, output_tokens: count }).optional().catch(undefined),
        model,
      })
      .transform(({ content, stop_reason, usage, model }) => {
        const tokens = usage && { input: usage.input_tokens, output: usage.output_tokens };
        const text = content.map(({ text }) => text).join('');
        return { text, isCutOff: stop_reason === 'max_tokens', tokens, model };
      }),
  },
} satisfies Record<string, Api>;

interface ApiOptions {
  name: string;
  /** The address of another service with this API. */
  url?: string | undefined;
  /** Is never printed or stored. Empty if the service needs none. */
  key: string;
  /** Further fields of each request. */
  settings: Recorded['settings'];
  /** For one attempt, in milliseconds. */
  timeoutMs: number;
}

export type ApiName = keyof typeof apis;

/** How often a request is repeated, the longest pause that a service can ask for, and the largest response that is read. */
const retries = 4;
const longestPauseMs = 120_000;
export const maxBytes = 2 * 1024 * 1024;

/** `status` is null if the connection broke, and `body` is then the code of the error. */
interface Response {
  status: number | null;
  retryAfter: string;
  body: string;
}

/** Returns a model behind an API. It repeats requests after 408, 429, 5xx and broken connections, with growing pauses. */
export function apiModel(api: Api, { name, url, key, settings, timeoutMs }: ApiOptions): Model {
  const address = `${(url ?? api.url).replace(/\/+$/, '')}${api.path}`;
  const ask = async (content: string) => {
    const messages = [{ role: 'user', content }];
    const body = JSON.stringify({ ...api.defaults, ...settings, model: name, messages });
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
      throw new NoAnswer(`There was no complete answer within ${Math.min(timeoutMs / 1_000, 300)} seconds.`);
    if (/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(code))
      throw new NoAnswer(`${address} cannot be reached (${code}). Check the address, and that the server runs.`, true);
    return { status: null, retryAfter: '', body: code };
  }
}

function readReply(api: Api, body: string, name: string, key: string): Reply {
  const { data } = api.reply.safeParse(parse(body));
  if (data === undefined)
    throw new NoAnswer('The response is not one of this API. Check --url, and --api if the service has another API.');
  const { text, isCutOff, tokens, model } = data;
  if (isCutOff)
    throw new NoAnswer('The answer was cut off at the limit of tokens. Raise it, such as --setting max_tokens=16000.');
  if (key !== '' && JSON.stringify(data).includes(key))
    throw new NoAnswer('The response contains your key, so it is not stored.');
  // A name is often short for a dated version.
  const isVersion = model !== undefined && model !== name && /^[\w.:/@+-]{1,100}$/.test(model);
  return { text, tokens, ...(isVersion && { note: `The service names the model ${model}.` }) };
}

const errorBody = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/** Says why there is no answer. The texts of services can repeat the key. */
function refusal({ status, retryAfter, body }: Response, key: string): NoAnswer {
  if (status === null) return new NoAnswer(`The connection broke ${retries + 1} times (${body}).`);
  const { error = '' } = errorBody.safeParse(parse(body)).data ?? {};
  const text = typeof error === 'string' ? error : error.message;
  const said = maskSecrets(key === '' ? text : text.replaceAll(key, '…'))
    .replace(/\s+/g, ' ')
    .slice(0, 300);
  const hints: Record<number, string> = {
    401: ' Check the key: see catalog eval --help.',
    403: ' Check the key: see catalog eval --help.',
    404: ' Check --model and --url.',
  };
  const hint = status < 400 ? ' Give the new address with --url.' : (hints[status] ?? '');
  const wait = retryAfter === '' ? '' : ` (Retry-After: ${retryAfter.slice(0, 40)})`;
  const isFinal = status < 400 || Object.hasOwn(hints, status);
  return new NoAnswer(
    `The service answered ${status}${wait}.${hint}${said === '' ? '' : ` It says: ${said}`}`,
    isFinal,
  );
}

function parse(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/** Returns a model that a shell command asks: it gets the message on stdin and prints the answer. */
export function commandModel(command: string, name: string, timeoutMs: number): Model {
  const ask = async (input: string) => {
    const ended = await runChild(command, [], { shell: true, ownGroup: true, input, timeoutMs, maxBytes });
    if (ended.code !== 0) throw failure(ended, timeoutMs);
    if (isUtf8(ended.stdout)) return { text: ended.stdout.toString('utf8') };
    throw new NoAnswer('The output of the command is not UTF-8 text.');
  };
  return { name, made: 'command', ask };
}

function failure({ code, stderr, failure: why }: Ended, timeoutMs: number): NoAnswer {
  if (why === 'output') return new NoAnswer(`The command printed more than ${maxBytes} bytes.`);
  if (why === 'timeout') return new NoAnswer(`The command took more than ${timeoutMs / 1000} seconds.`);
  const said = maskSecrets(stderr.toString('utf8').trim()).split('\n').at(-1)?.slice(0, 300);
  // The shell ends with 126 or 127 if it cannot run a program.
  return new NoAnswer(
    `The command failed (exit code ${code})${said ? `: ${said}` : '.'}`,
    code === 126 || code === 127,
  );
}
