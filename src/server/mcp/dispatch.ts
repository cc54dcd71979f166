import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { parseBoundedJson, TooDeep } from '../../lib/bounded.ts';
import { plural } from '../../lib/text.ts';
import { explain } from '../../schema/diagnostics/values.ts';
import { promptLicense } from '../../schema/documents.ts';
import { handshakeVersions, methodParams, modernVersion, protocolVersions } from '../../schema/mcp.ts';
import { contributedPrompts } from '../../text/agent-sections.ts';
import type { McpCatalog } from './catalog.ts';
import {
  checkEnvelope,
  checkVersionHeader,
  codes,
  type Era,
  eraOf,
  errorResponse,
  idOf,
  type JsonBytes,
  jsonBytes,
  type McpHeaders,
  type Request,
  type RequestId,
  RpcError,
  readMessage,
  resultResponse,
} from './messages.ts';
import {
  agentTemplate,
  catalogTemplate,
  getPrompt,
  getSkill,
  listPrompts,
  listResources,
  listSkills,
  listTemplates,
  readResource,
  skillsExtension,
} from './resources.ts';
import { callTool, listTools } from './tools.ts';

export interface CompleteParams {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
  argument: { name: string; value: string };
}

/** The most values in an answer (MCP, completion). */
const mostValues = 100;

/**
 * completion/complete: completes slugs, categories and tags in the templates of resources. The inputs of a prompt have no
 * completions. Throws RpcError -32602 for an unknown prompt or template.
 */
export function complete({ ref, argument }: CompleteParams, catalog: McpCatalog): object {
  const values = completed(candidates(ref, argument.name, catalog), argument.value);
  return {
    completion: { values: values.slice(0, mostValues), total: values.length, hasMore: values.length > mostValues },
  };
}

function candidates(ref: CompleteParams['ref'], argument: string, catalog: McpCatalog): readonly string[] {
  if (ref.type === 'ref/prompt') {
    if (catalog.slugOf(ref.name) === undefined)
      throw new RpcError(codes.invalidParams, 'There is no such prompt; prompts/list lists them all.');
    return [];
  }
  const keys = (counted: McpCatalog['tags']) => counted.map(({ key }) => key);
  if (ref.uri === agentTemplate) return argument === 'slug' ? [...catalog.bySlug.keys()] : [];
  if (ref.uri !== catalogTemplate)
    throw new RpcError(
      codes.invalidParams,
      'There is no such resource template; resources/templates/list lists them all.',
    );
  return argument === 'category' ? keys(catalog.categories) : argument === 'tag' ? keys(catalog.tags) : [];
}

/** The values that start with the text, then those that contain it elsewhere. */
function completed(values: readonly string[], text: string): string[] {
  const sought = text.trim().toLowerCase();
  const starting = values.filter((value) => value.startsWith(sought));
  return [...starting, ...values.filter((value) => !value.startsWith(sought) && value.includes(sought))];
}

/** What the server offers. Where it can send notifications, it says when lists change. */
function capabilities({ listChanged }: McpCatalog) {
  const list = listChanged ? { listChanged } : {};
  return { tools: list, resources: list, prompts: list, completions: {} };
}

/** The server as its card describes it. */
export function serverInfo({ card: { name, title, version, description, websiteUrl, icons } }: McpCatalog) {
  return { name, title, version, description, websiteUrl, icons };
}

/** initialize: agrees to the requested revision if it has a handshake, else offers the newest that has one. */
export function initialize({ protocolVersion }: { protocolVersion: string }, catalog: McpCatalog): object {
  const known = handshakeVersions.find((version) => version === protocolVersion);
  return {
    protocolVersion: known ?? handshakeVersions[0],
    capabilities: capabilities(catalog),
    serverInfo: serverInfo(catalog),
    instructions: instructions(catalog),
  };
}

/** server/discover */
export function discover(catalog: McpCatalog): object {
  return {
    supportedVersions: protocolVersions,
    capabilities: { ...capabilities(catalog), extensions: { [skillsExtension]: {} } },
    instructions: instructions(catalog),
  };
}

function instructions({ card, agents }: McpCatalog): string {
  return (
    `${card.title}: ${plural(agents.length, 'reusable prompt')} ("agents"), one new each day. Find one with search_agents, get it ` +
    'with get_agent, then follow its prompt, with what the user provides as its INPUT. Each agent is also a prompt named by ' +
    `its slug. ${contributedPrompts} The prompts are under ${promptLicense.name}: credit the publisher when you reuse one.`
  );
}

/** The answer to a message or a batch. */
export interface Reply {
  /** The answer; null for a notification. */
  json: JsonBytes | null;
  /**
   * Why no method was called, or null. It determines the HTTP status. The last two reasons exist only in the modern
   * era.
   */
  failure: 'refused' | 'unknown method' | 'unsupported version' | null;
}

/** Parses the bytes of a message or a batch; returns a Reply if they are malformed. */
export function parseMessage(bytes: Buffer): { value: unknown } | Reply {
  const refused = (id: RequestId | null, code: number, message: string): Reply => ({
    json: errorResponse(id, new RpcError(code, message)),
    failure: 'refused',
  });
  try {
    if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
    const text = bytes.toString('utf8');
    return { value: parseBoundedJson(text.startsWith('\uFEFF') ? text.slice(1) : text) };
  } catch (error) {
    if (error instanceof TooDeep) return refused(idOf(error.value), codes.invalidRequest, error.message);
    return refused(null, codes.parseError, 'The message is not well-formed JSON in UTF-8.');
  }
}

/** How many messages a parsed value contains, for the rate limit. */
export function messagesIn(value: unknown): number {
  return Array.isArray(value) ? Math.min(Math.max(value.length, 1), mostInBatch) : 1;
}

interface Method {
  eras: readonly Era[];
  params: z.ZodType;
  /** How long clients can cache its result, in milliseconds (2026-07-28); null if the result does not say. */
  ttlMs: number | null;
  call(params: unknown, catalog: McpCatalog): object | Promise<object>;
}

type Name = keyof typeof methodParams;
type Call<Method extends Name> = (
  params: z.infer<(typeof methodParams)[Method]>,
  catalog: McpCatalog,
) => object | Promise<object>;

/** Makes a row of the table of methods. Its params have the schema in `methodParams`. */
function row<Of extends Name>(name: Of, eras: readonly Era[], ttlMs: number | null, call: Call<Of>): [string, Method] {
  return [name, { eras, params: methodParams[name], ttlMs, call: (params, catalog) => call(params as never, catalog) }];
}

const both: readonly Era[] = ['modern', 'handshake'];
const minute = 60_000;
/** How long results are cached. The next agent is published within a day, but a correction can come at any time. */
const [ofServer, ofCatalog] = [60 * minute, 5 * minute];

const methods = new Map<string, Method>([
  row('initialize', ['handshake'], null, initialize),
  row('ping', ['handshake'], null, () => ({})),
  row('server/discover', ['modern'], ofServer, (_, catalog) => discover(catalog)),
  row('tools/list', both, ofCatalog, (_, catalog) => listTools(catalog)),
  row('tools/call', both, null, callTool),
  row('resources/list', both, ofCatalog, listResources),
  row('resources/templates/list', both, ofServer, listTemplates),
  row('resources/read', both, ofCatalog, readResource),
  row('prompts/list', both, ofCatalog, listPrompts),
  row('prompts/get', both, null, getPrompt),
  row('completion/complete', both, null, complete),
  row('skills/list', ['modern'], ofCatalog, listSkills),
  row('skills/get', ['modern'], ofCatalog, getSkill),
]);

/** The most messages in a batch. */
const mostInBatch = 100;

/**
 * Answers a parsed message, or a batch of them in the revision that has batches (2025-03-26).
 *
 * `headers` is null if the transport has none. Rejects only because of a bug.
 */
export async function dispatch(value: unknown, headers: McpHeaders | null, catalog: McpCatalog): Promise<Reply> {
  try {
    if (Array.isArray(value)) return await answerBatch(value, headers, catalog);
    const message = readMessage(value);
    if (message.kind === 'response') {
      if (headers?.version !== modernVersion) return { json: null, failure: null };
      throw new RpcError(codes.invalidRequest, 'This is a response, but the server sent no request.');
    }
    const era = eraOf(message, headers);
    if (message.kind === 'notification') return { json: null, failure: null };
    if (era === 'modern') checkEnvelope(message, headers);
    else checkVersionHeader(headers);
    const failure = era === 'modern' && methodOf(message, era) === undefined ? 'unknown method' : null;
    return { json: await perform(message, era, catalog), failure };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const failure = error.code === codes.unsupportedVersion ? 'unsupported version' : 'refused';
    return { json: errorResponse(idOf(value), error), failure };
  }
}

async function answerBatch(batch: unknown[], headers: McpHeaders | null, catalog: McpCatalog): Promise<Reply> {
  if (batch.length === 0) throw new RpcError(codes.invalidRequest, 'The batch is empty.');
  if (headers?.version !== undefined && headers.version !== '2025-03-26') {
    throw new RpcError(codes.invalidRequest, 'Only revision 2025-03-26 supports batches. Send one message at a time.');
  }
  if (batch.length > mostInBatch) {
    throw new RpcError(codes.invalidRequest, `A batch can contain at most ${mostInBatch} messages.`);
  }
  const responses: JsonBytes[] = [];
  for (const value of batch) {
    // Other requests are answered between the messages of a batch.
    await new Promise(setImmediate);
    const response = await answerOne(value, catalog);
    if (response !== null) responses.push(response);
  }
  return { json: responses.length === 0 ? null : `[${responses.join(',')}]`, failure: null };
}

/** Answers a message of a batch. Only messages of the handshake era are allowed, except the handshake itself. */
async function answerOne(value: unknown, catalog: McpCatalog): Promise<JsonBytes | null> {
  try {
    const message = readMessage(value);
    if (message.kind !== 'request') return null;
    if (message.method === 'initialize' || eraOf(message, null) === 'modern') {
      throw new RpcError(codes.invalidRequest, 'This message cannot be part of a batch.');
    }
    return await perform(message, 'handshake', catalog);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return errorResponse(idOf(value), error);
  }
}

function methodOf({ method: name }: Request, era: Era): Method | undefined {
  const found = methods.get(name);
  return found?.eras.includes(era) === true ? found : undefined;
}

async function perform(request: Request, era: Era, catalog: McpCatalog): Promise<JsonBytes> {
  try {
    const found = methodOf(request, era);
    if (found === undefined) throw new RpcError(codes.methodNotFound, 'This method does not exist.');
    if (Array.isArray(request.params)) throw new RpcError(codes.invalidParams, '`params` has to be an object.');
    const { _meta, ...own } = request.params;
    const key = `${era} ${request.method} ${JSON.stringify(own)}`;
    let json = catalog.results.get(key);
    if (json === undefined) {
      const params = found.params.safeParse(request.params);
      if (!params.success) throw invalidParams(found.params, request);
      const result = await found.call(params.data, catalog);
      json = jsonBytes(era === 'modern' ? asModern(result, found, catalog) : result);
      catalog.results.keep(key, json);
    }
    return resultResponse(request.id, json);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return errorResponse(request.id, error);
  }
}

/** Adds the fields of every result in revision 2026-07-28. */
function asModern(result: object, { ttlMs }: Method, catalog: McpCatalog): object {
  return {
    resultType: 'complete',
    ...result,
    ...(ttlMs === null ? {} : { ttlMs, cacheScope: 'public' }),
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo(catalog) },
  };
}

function invalidParams(shape: z.ZodType, { params }: Request): RpcError {
  const [first] = explain(shape, params, { echo: false });
  return new RpcError(
    codes.invalidParams,
    first === undefined ? 'The params are invalid.' : `${first.message} ${first.hint}`.trim().slice(0, 500),
  );
}
