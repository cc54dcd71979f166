import { isUtf8 } from 'node:buffer';
import { CORE_SCHEMA, load } from 'js-yaml';
import type { z } from 'zod';
import { parseBoundedJson, TooDeep } from '../../lib/bounded.ts';
import { sha256Of } from '../../lib/files.ts';
import { plural } from '../../lib/text.ts';
import { type AgentSummary, type Catalog, contractVersion, promptLicense, toJson } from '../../schema/documents.ts';
import { handshakeVersions, methodParams, modernVersion, protocolVersions } from '../../schema/mcp.ts';
import { explain } from '../../schema/messages/values.ts';
import { contributedPrompts, provenance } from '../../text/agent-sections.ts';
import { shortened } from '../../text/markdown-text.ts';
import { fillIn, inputsOf, reservedName } from '../../text/prompt-text.ts';
import { fits, type McpCatalog, nearestSlugs, pageOf } from './catalog.ts';
import {
  checkRequest,
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
} from './messages.ts';
import { callTool, listTools } from './tools.ts';

/** The params of a method. */
type Params<Method extends keyof typeof methodParams> = z.infer<(typeof methodParams)[Method]>;

/** The extension for Agent Skills (SEP-2640), based on revision 2026-07-28. */
const skillsExtension = 'io.modelcontextprotocol/skills';

/** skills/list: all agents as skills, with the files of the site. */
async function listSkills({ cursor }: Params<'prompts/list'>, catalog: McpCatalog): Promise<object> {
  const { items, nextCursor } = listPage(catalog.agents, cursor);
  const skills = await Promise.all(items.map(({ slug }) => skillOf(slug, catalog)));
  return { skills: skills.filter((skill) => skill !== null), nextCursor };
}

/** skills/get. Throws RpcError -32602 with the URI for an unknown skill. */
async function getSkill({ uri }: Params<'resources/read'>, catalog: McpCatalog): Promise<object> {
  const slug = skillSlug(uri, catalog);
  const skill = slug === undefined ? null : await skillOf(slug, catalog);
  if (skill === null) throw unknown('skill', uri);
  return { skill };
}

/** The error for a name or `uri` that nothing has. A method lists what there is. */
function unknown(what: 'prompt' | 'resource' | 'skill', uri?: string, hint = ''): RpcError {
  const data = uri === undefined ? undefined : { uri: uri.slice(0, 500) };
  return new RpcError('invalidParams', `There is no such ${what}; ${what}s/list lists them all.${hint}`, data);
}

/** The slug in the URI of a SKILL.md; undefined if no agent has it. Former slugs do not count. */
function skillSlug(uri: string, { bySlug }: McpCatalog): string | undefined {
  const slug = /^skill:\/\/([a-z0-9-]+)\/SKILL\.md$/.exec(uri)?.[1];
  return slug !== undefined && bySlug.has(slug) ? slug : undefined;
}

async function skillOf(slug: string, catalog: McpCatalog): Promise<object | null> {
  const bytes = await catalog.skill(slug);
  if (bytes === null) return null;
  const uri = `skill://${slug}/SKILL.md`;
  const digest = `sha256:${sha256Of(bytes)}`;
  const frontMatter = /^---\n(.*?)\n---\n/s.exec(bytes.toString('utf8'))?.[1] ?? '';
  return {
    uri,
    frontmatter: load(frontMatter, { schema: CORE_SCHEMA }),
    resources: [{ uri, digest, size: bytes.length }],
  };
}

/** The page of a list method after a cursor. Throws unknownCursor for a cursor that this server cannot have given. */
function listPage(agents: McpCatalog['agents'], cursor: string | undefined) {
  const page = pageOf(agents, cursor);
  if (page === null) throw unknownCursor();
  return page;
}

const unknownCursor = () =>
  new RpcError('invalidParams', 'This server did not return this cursor. Leave it out to get the first page.');

const json = 'application/json';

/** The templates of resources; completion.ts completes the names in braces. */
const agentTemplate = 'agent://{slug}';
const catalogTemplate = 'agent://catalog{?category,tag}';

/** resources/list: the catalog, then all agents. */
function listResources({ cursor }: Params<'prompts/list'>, { agents, card }: McpCatalog): object {
  const { items, nextCursor } = listPage(agents, cursor);
  const whole = {
    uri: 'agent://catalog',
    name: 'catalog',
    title: `The catalog of ${card.title}`,
    description: `All agents (${agents.length}), newest first, without their prompts`,
    mimeType: json,
  };
  return {
    resources: [
      ...(cursor === undefined ? [whole] : []),
      ...items.map(({ slug, title, excerpt }) => {
        return { uri: `agent://${slug}`, name: slug, title, description: excerpt, mimeType: json };
      }),
    ],
    nextCursor,
  };
}

/** resources/templates/list */
function listTemplates(): object {
  return {
    resourceTemplates: [
      {
        uriTemplate: agentTemplate,
        name: 'agent',
        title: 'One agent',
        description: 'An agent with its prompt and config, by its slug',
        mimeType: json,
      },
      {
        uriTemplate: catalogTemplate,
        name: 'catalog-part',
        title: 'Part of the catalog',
        description: 'The agents of a category, with a tag, or both',
        mimeType: json,
      },
    ],
  };
}

/** resources/read. Throws RpcError -32602 with the URI for an unknown resource. */
async function readResource({ uri }: Params<'resources/read'>, catalog: McpCatalog): Promise<object> {
  const content = await contentOf(uri, catalog);
  if (content === null) throw unknown('resource', uri);
  return { contents: [{ uri, ...content }] };
}

async function contentOf(uri: string, catalog: McpCatalog): Promise<{ mimeType: string; text: string } | null> {
  const asJson = (text: string | null | undefined) => (text == null ? null : { mimeType: json, text });
  if (uri === 'agent://catalog') return asJson(await catalog.catalogJson());
  const query = /^agent:\/\/catalog\?(.*)$/s.exec(uri)?.[1];
  if (query !== undefined) return asJson(catalogPart(new URLSearchParams(query), catalog));
  const slug = catalog.slugOf(/^agent:\/\/([a-z0-9-]+)$/.exec(uri)?.[1] ?? '');
  if (slug !== undefined) return asJson((await catalog.envelope(slug))?.text);
  const ofSkill = skillSlug(uri, catalog);
  const skill = ofSkill === undefined ? null : await catalog.skill(ofSkill);
  return skill === null ? null : { mimeType: 'text/markdown', text: skill.toString('utf8') };
}

/** The catalog with only the agents of a category, with a tag, or both; null for other parameters. */
function catalogPart(query: URLSearchParams, { agents, schema }: McpCatalog): string | null {
  const { category, tag, ...others } = Object.fromEntries(query);
  if (Object.keys(others).length > 0) return null;
  const listed = agents.filter(fits({ category, tag }));
  return toJson({ version: contractVersion, schema, count: listed.length, agents: listed } satisfies Catalog);
}

/** prompts/list: all agents, which assistants show as slash commands. */
export async function listPrompts({ cursor }: Params<'prompts/list'>, catalog: McpCatalog): Promise<object> {
  const { items, nextCursor } = listPage(catalog.agents, cursor);
  return { prompts: await Promise.all(items.map((agent) => listedPrompt(agent, catalog))), nextCursor };
}

/**
 * The arguments of a prompt are the inputs that it declares, and one for everything else. None is declared as required,
 * because getPrompt takes a prompt without any of them. Clients load the whole list, so it has no icon, no title beside
 * the slug, and only the start of each hint.
 */
async function listedPrompt({ slug, excerpt }: AgentSummary, catalog: McpCatalog): Promise<object> {
  const inputs = inputsOf((await catalog.prompt(slug)) ?? '');
  return {
    name: slug,
    description: excerpt,
    arguments: [
      ...inputs.map(({ name, hint, required }) => ({
        name,
        description: `${required ? '' : 'Optional: '}${shortHint(hint)}`,
      })),
      { name: reservedName, description: inputs.length === 0 ? 'The input' : 'Anything else' },
    ],
  };
}

/** The words of a hint up to its first punctuation mark, which say what to paste; the rest is for the assistant. */
function shortHint(hint: string): string {
  return shortened(hint.split(/[.,;:](?=\s|$)|[。、，；：]/u)[0] ?? hint, 30);
}

/**
 * prompts/get: the prompt of an agent after its provenance, with the reader's input filled in. Every argument may be
 * missing, since the prompt itself says what to do then. Throws RpcError -32602 if the prompt or an argument is unknown.
 */
async function getPrompt(
  { name, arguments: inputs = {} }: Params<'prompts/get'>,
  catalog: McpCatalog,
): Promise<object> {
  const slug = catalog.slugOf(name);
  const envelope = slug === undefined ? null : await catalog.envelope(slug);
  if (envelope === null) {
    const nearest = nearestSlugs(catalog, name);
    throw unknown('prompt', undefined, nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`);
  }
  const { agent } = envelope.document;
  const declared = inputsOf(agent.prompt).map((input) => input.name);
  const texts = new Map(Object.entries(inputs));
  if ([...texts.keys()].some((key) => key !== reservedName && !declared.includes(key))) {
    const names = [...declared, reservedName].map((key) => `\`${key}\``).join(', ');
    throw new RpcError('invalidParams', `The arguments of this prompt are: ${names}.`);
  }
  const own = declared.map((name) => ({ name, text: texts.get(name) ?? '' }));
  const filled = fillIn(agent.prompt, [...own, { text: texts.get(reservedName) ?? '' }]);
  return {
    description: agent.excerpt,
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `${provenance(agent, catalog.reviewedOn(agent))}\n\n${filled}` },
      },
    ],
  };
}

/** The most values in an answer (MCP, completion). */
const mostValues = 100;

/**
 * completion/complete: completes slugs, categories and tags in the templates of resources. The inputs of a prompt have no
 * completions. Throws RpcError -32602 for an unknown prompt or template.
 */
export function complete({ ref, argument }: Params<'completion/complete'>, catalog: McpCatalog): object {
  const values = completed(candidates(ref, argument.name, catalog), argument.value);
  return {
    completion: { values: values.slice(0, mostValues), total: values.length, hasMore: values.length > mostValues },
  };
}

function candidates(
  ref: Params<'completion/complete'>['ref'],
  argument: string,
  catalog: McpCatalog,
): readonly string[] {
  if (ref.type === 'ref/prompt') {
    if (catalog.slugOf(ref.name) === undefined) throw unknown('prompt');
    return [];
  }
  const keys = (counted: McpCatalog['tags']) => counted.map(({ key }) => key);
  if (ref.uri === agentTemplate) return argument === 'slug' ? [...catalog.bySlug.keys()] : [];
  if (ref.uri !== catalogTemplate)
    throw new RpcError('invalidParams', 'There is no such resource template; resources/templates/list lists them all.');
  return argument === 'category' ? keys(catalog.categories) : argument === 'tag' ? keys(catalog.tags) : [];
}

/** The values that start with the text, then those that contain it elsewhere. */
function completed(values: readonly string[], text: string): string[] {
  const sought = text.trim().toLowerCase();
  const starting = values.filter((value) => value.startsWith(sought));
  return [...starting, ...values.filter((value) => !value.startsWith(sought) && value.includes(sought))];
}

/** The capabilities of the server. Where it can send notifications, it says when lists change. */
function capabilities({ listChanged }: McpCatalog) {
  const list = listChanged ? { listChanged } : {};
  return { tools: list, resources: list, prompts: list, completions: {} };
}

/** The server as its card describes it. */
function serverInfo({ card: { name, title, version, description, websiteUrl, icons } }: McpCatalog) {
  return { name, title, version, description, websiteUrl, icons };
}

/** initialize: agrees to the requested revision if it has a handshake, else offers the newest that has one. */
function initialize({ protocolVersion }: Params<'initialize'>, catalog: McpCatalog): object {
  const supported = handshakeVersions.find((version) => version === protocolVersion);
  return {
    protocolVersion: supported ?? handshakeVersions[0],
    capabilities: capabilities(catalog),
    serverInfo: serverInfo(catalog),
    instructions: instructions(catalog),
  };
}

/** server/discover */
function discover(catalog: McpCatalog): object {
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

/**
 * Parses the bytes of a message or a batch; returns a Reply if they are malformed. `count` is how many messages there are, for the
 * rate limit.
 */
export function parseMessage(bytes: Buffer): { value: unknown; count: number } | Reply {
  const refused = (id: RequestId | null, kind: RpcError['kind'], message: string): Reply => ({
    json: errorResponse(id, new RpcError(kind, message)),
    failure: 'refused',
  });
  try {
    if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
    const text = bytes.toString('utf8');
    const value = parseBoundedJson(text.startsWith('\uFEFF') ? text.slice(1) : text);
    return { value, count: Array.isArray(value) ? Math.min(Math.max(value.length, 1), mostInBatch) : 1 };
  } catch (error) {
    if (error instanceof TooDeep) return refused(idOf(error.value), 'invalidRequest', error.message);
    return refused(null, 'parseError', 'The message is not well-formed JSON in UTF-8.');
  }
}

interface Method {
  eras: readonly Era[];
  params: z.ZodType;
  /** How long clients can cache its result, in milliseconds (2026-07-28); null if the result does not say. */
  ttlMs: number | null;
  call(params: unknown, catalog: McpCatalog): object | Promise<object>;
}

/** Makes a row of the table of methods. Its params have the schema in `methodParams`. */
function row<Of extends keyof typeof methodParams>(
  name: Of,
  eras: readonly Era[],
  ttlMs: number | null,
  call: (params: Params<Of>, catalog: McpCatalog) => object | Promise<object>,
): [string, Method] {
  return [name, { eras, params: methodParams[name], ttlMs, call: (params, catalog) => call(params as never, catalog) }];
}

/** Calls a method that lists everything at once, so no cursor is known. Throws unknownCursor. */
function onePage(list: (catalog: McpCatalog) => object) {
  return ({ cursor }: Params<'tools/list'>, catalog: McpCatalog) => {
    if (cursor !== undefined) throw unknownCursor();
    return list(catalog);
  };
}

const both: readonly Era[] = ['modern', 'handshake'];
const minute = 60_000;
/** How long results are cached. The next agent is published within a day, but a correction can come at any time. */
const [ofServer, ofCatalog] = [60 * minute, 5 * minute];

const methods = new Map<string, Method>([
  row('initialize', ['handshake'], null, initialize),
  row('ping', ['handshake'], null, () => ({})),
  row('server/discover', ['modern'], ofServer, (_, catalog) => discover(catalog)),
  row('tools/list', both, ofCatalog, onePage(listTools)),
  row('tools/call', both, null, callTool),
  row('resources/list', both, ofCatalog, listResources),
  row('resources/templates/list', both, ofServer, onePage(listTemplates)),
  row('resources/read', both, ofCatalog, readResource),
  row('prompts/list', both, ofCatalog, listPrompts),
  row('prompts/get', both, null, getPrompt),
  row('completion/complete', both, null, complete),
  row('skills/list', ['modern'], ofCatalog, listSkills),
  row('skills/get', ['modern'], ofCatalog, getSkill),
]);

/** The longest params whose result is kept, as JSON with the method: nobody sends longer ones again. */
const mostOfKey = 1024;

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
      throw new RpcError('invalidRequest', 'This is a response, but the server sent no request.');
    }
    const era = eraOf(message, headers);
    if (message.kind === 'notification') return { json: null, failure: null };
    checkRequest(message, era, headers);
    const failure = era === 'modern' && methodOf(message, era) === undefined ? 'unknown method' : null;
    return { json: await perform(message, era, catalog), failure };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const failure = error.kind === 'unsupportedVersion' ? 'unsupported version' : 'refused';
    return { json: errorResponse(idOf(value), error), failure };
  }
}

async function answerBatch(batch: unknown[], headers: McpHeaders | null, catalog: McpCatalog): Promise<Reply> {
  if (batch.length === 0) throw new RpcError('invalidRequest', 'The batch is empty.');
  if (headers?.version !== undefined && headers.version !== '2025-03-26') {
    throw new RpcError('invalidRequest', 'Only revision 2025-03-26 supports batches. Send one message at a time.');
  }
  if (batch.length > mostInBatch) {
    throw new RpcError('invalidRequest', `A batch can contain at most ${mostInBatch} messages.`);
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
      throw new RpcError('invalidRequest', 'This message cannot be part of a batch.');
    }
    return await perform(message, 'handshake', catalog);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return errorResponse(idOf(value), error);
  }
}

function methodOf({ method: name }: Request, era: Era): Method | undefined {
  const method = methods.get(name);
  return method?.eras.includes(era) === true ? method : undefined;
}

async function perform(request: Request, era: Era, catalog: McpCatalog): Promise<JsonBytes> {
  try {
    const method = methodOf(request, era);
    if (method === undefined) throw new RpcError('methodNotFound', 'This method does not exist.');
    if (Array.isArray(request.params)) throw new RpcError('invalidParams', '`params` has to be an object.');
    const { _meta, ...own } = request.params;
    const key = `${era} ${request.method} ${JSON.stringify(own)}`;
    let json = catalog.results.get(key);
    if (json === undefined) {
      const params = method.params.safeParse(request.params);
      if (!params.success) throw invalidParams(method.params, request);
      const result = await method.call(params.data, catalog);
      json = jsonBytes(era === 'modern' ? asModern(result, method, catalog) : result);
      if (key.length <= mostOfKey) catalog.results.set(key, json);
    }
    const { id } = request;
    // The result is JSON already.
    return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : jsonBytes(id)},"result":${json}}`;
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
  const [first] = explain(shape, params, { echo: false, json: true });
  return new RpcError(
    'invalidParams',
    first === undefined ? 'The params are invalid.' : `${first.message} ${first.hint}`.trim().slice(0, 500),
  );
}
