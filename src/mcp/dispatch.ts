import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { explain } from '../schema/explain.ts';
import { modernVersion } from '../schema/mcp.ts';
import { methodParams } from '../schema/mcp-messages.ts';
import { parseBoundedJson, TooDeep } from '../text-safety/bounded-json.ts';
import type { McpCatalog } from './catalog.ts';
import { complete } from './completion.ts';
import { checkEnvelope, checkVersionHeader, type Era, eraOf, type McpHeaders } from './envelope.ts';
import { codes, RpcError } from './errors.ts';
import { discover, initialize, serverInfo } from './hello.ts';
import { errorResponse, idOf, type Request, type RequestId, readMessage, resultResponse } from './messages.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listTemplates, readResource } from './resources.ts';
import { getSkill, listSkills } from './skills.ts';
import { callTool, listTools } from './tools.ts';

/** What is answered to what came in. */
export interface Reply {
  /** The message or the batch of messages, as JSON; null for a notification. */
  json: Buffer | null;
  /**
   * Why no method was called: what came is no request that can be taken, or, in the modern era, there is no such method
   * or revision. HTTP has statuses for these.
   */
  failure: 'refused' | 'unknown method' | 'unsupported version' | null;
}

/** Parses the bytes of a message or a batch; a Reply says why they cannot be taken. */
export function parseMessage(bytes: Buffer): { value: unknown } | Reply {
  const refused = (id: RequestId | null, code: number, message: string): Reply => ({
    json: errorResponse(id, new RpcError(code, message)),
    failure: 'refused',
  });
  try {
    if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
    return { value: parseBoundedJson(bytes.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch (error) {
    if (error instanceof TooDeep) return refused(idOf(error.value), codes.invalidRequest, error.message);
    return refused(null, codes.parseError, 'The message is not well-formed JSON in UTF-8.');
  }
}

/** How many messages a parsed value holds, as limits count them. */
export function messagesIn(value: unknown): number {
  return Array.isArray(value) ? Math.min(Math.max(value.length, 1), mostInBatch) : 1;
}

/** A method: its eras, the shape of its params, how long its answer may be kept (2026-07-28; null: not said), its work. */
interface Method<Params extends z.ZodType = z.ZodType> {
  eras: readonly Era[];
  params: Params;
  ttlMs: number | null;
  call(params: z.infer<Params>, catalog: McpCatalog): object | Promise<object>;
}

const both: readonly Era[] = ['modern', 'handshake'];
const minute = 60_000;
/** The next agent comes out within a day, a correction at any time. */
const [ofServer, ofCatalog] = [60 * minute, 5 * minute];

/** Keeps the type of the params through the table of methods. */
const method = <Params extends z.ZodType>(one: Method<Params>): Method => one as unknown as Method;

const methods = new Map<string, Method>([
  ['initialize', method({ eras: ['handshake'], params: methodParams.initialize, ttlMs: null, call: initialize })],
  ['ping', method({ eras: ['handshake'], params: methodParams.ping, ttlMs: null, call: () => ({}) })],
  [
    'server/discover',
    method({
      eras: ['modern'],
      params: methodParams['server/discover'],
      ttlMs: ofServer,
      call: (_, catalog) => discover(catalog),
    }),
  ],
  [
    'tools/list',
    method({
      eras: both,
      params: methodParams['tools/list'],
      ttlMs: ofCatalog,
      call: (_, catalog) => listTools(catalog),
    }),
  ],
  ['tools/call', method({ eras: both, params: methodParams['tools/call'], ttlMs: null, call: callTool })],
  [
    'resources/list',
    method({ eras: both, params: methodParams['resources/list'], ttlMs: ofCatalog, call: listResources }),
  ],
  [
    'resources/templates/list',
    method({ eras: both, params: methodParams['resources/templates/list'], ttlMs: ofServer, call: listTemplates }),
  ],
  [
    'resources/read',
    method({ eras: both, params: methodParams['resources/read'], ttlMs: ofCatalog, call: readResource }),
  ],
  ['prompts/list', method({ eras: both, params: methodParams['prompts/list'], ttlMs: ofCatalog, call: listPrompts })],
  [
    'prompts/get',
    method({
      eras: both,
      params: methodParams['prompts/get'],
      ttlMs: null,
      call: getPrompt,
    }),
  ],
  [
    'completion/complete',
    method({
      eras: both,
      params: methodParams['completion/complete'],
      ttlMs: null,
      call: complete,
    }),
  ],
  [
    'skills/list',
    method({ eras: ['modern'], params: methodParams['skills/list'], ttlMs: ofCatalog, call: listSkills }),
  ],
  ['skills/get', method({ eras: ['modern'], params: methodParams['skills/get'], ttlMs: ofCatalog, call: getSkill })],
]);

/** The most messages that a batch may hold. */
const mostInBatch = 100;

/**
 * Answers what a client sent, already parsed: a message, or a batch of them where the revision has batches (2025-03-26).
 *
 * `headers` is null where the transport has none. Rejects only for a fault of ours.
 */
export async function dispatch(value: unknown, headers: McpHeaders | null, catalog: McpCatalog): Promise<Reply> {
  try {
    return Array.isArray(value) ? await answerBatch(value, headers, catalog) : await answer(value, headers, catalog);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const failure = error.code === codes.unsupportedVersion ? 'unsupported version' : 'refused';
    return { json: errorResponse(idOf(value), error), failure };
  }
}

async function answerBatch(batch: unknown[], headers: McpHeaders | null, catalog: McpCatalog): Promise<Reply> {
  if (batch.length === 0) throw new RpcError(codes.invalidRequest, 'The batch is empty.');
  if (headers?.version !== undefined && headers.version !== '2025-03-26') {
    throw new RpcError(codes.invalidRequest, 'Only revision 2025-03-26 has batches: send one message.');
  }
  if (batch.length > mostInBatch) {
    throw new RpcError(codes.invalidRequest, `A batch may hold ${mostInBatch} messages at most.`);
  }
  const responses: Buffer[] = [];
  for (const value of batch) {
    // Other requests get their turn between the messages of a batch.
    await new Promise(setImmediate);
    const response = await answerOne(value, catalog);
    if (response !== null) responses.push(response);
  }
  return { json: responses.length === 0 ? null : Buffer.from(`[${responses.join(',')}]`), failure: null };
}

/** A message of a batch: of the handshake era, and no handshake itself. */
async function answerOne(value: unknown, catalog: McpCatalog): Promise<Buffer | null> {
  try {
    const message = readMessage(value);
    if (message.kind !== 'request') return null;
    if (message.method === 'initialize' || eraOf(message, null) === 'modern') {
      throw new RpcError(codes.invalidRequest, 'This message may not be part of a batch.');
    }
    return await perform(message, 'handshake', catalog);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return errorResponse(idOf(value), error);
  }
}

async function answer(value: unknown, headers: McpHeaders | null, catalog: McpCatalog): Promise<Reply> {
  const message = readMessage(value);
  if (message.kind === 'response') {
    if (headers?.version === modernVersion) throw new RpcError(codes.invalidRequest, 'The server asked nothing.');
    return { json: null, failure: null };
  }
  const era = eraOf(message, headers);
  if (message.kind === 'notification') return { json: null, failure: null };
  if (era === 'modern') checkEnvelope(message, headers);
  else checkVersionHeader(headers);
  const failure = era === 'modern' && methodOf(message, era) === undefined ? 'unknown method' : null;
  return { json: await perform(message, era, catalog), failure };
}

function methodOf({ method: name }: Request, era: Era): Method | undefined {
  const found = methods.get(name);
  return found?.eras.includes(era) === true ? found : undefined;
}

async function perform(request: Request, era: Era, catalog: McpCatalog): Promise<Buffer> {
  try {
    const found = methodOf(request, era);
    if (found === undefined) throw new RpcError(codes.methodNotFound, 'This method is not served.');
    const params = found.params.safeParse(request.params);
    if (!params.success) throw invalidParams(found.params, request);
    const key = `${era} ${request.method} ${JSON.stringify(params.data)}`;
    let json = catalog.results.get(key);
    if (json === undefined) {
      const result = await found.call(params.data, catalog);
      json = Buffer.from(JSON.stringify(era === 'modern' ? asModern(result, found, catalog) : result));
      catalog.results.keep(key, json);
    }
    return resultResponse(request.id, json);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return errorResponse(request.id, error);
  }
}

/** What every result of revision 2026-07-28 carries besides. */
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
    first === undefined ? 'The params do not fit.' : `${first.message} ${first.hint}`.trim().slice(0, 500),
  );
}
