import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import type { Request, Response } from 'polka';
import type { z } from 'zod';
import { parseBoundedJson, TooDeep } from '../lib/bounded.ts';
import { succeeds } from '../lib/errors.ts';
import { escapeHtml } from '../lib/text.ts';
import { ProviderFailed } from '../mail/calls.ts';
import type { Consent } from '../mail/consent.ts';
import type { SubscriberStore, Subscription } from '../mail/provider.ts';
import type { BuildInfo } from '../schema/documents.ts';
import { explain } from '../schema/messages/values.ts';
import { generalMessages, readerMessage } from '../schema/reader-message.ts';
import { feedbackRequest, storedNote, subscribeRequest } from '../schema/requests.ts';
import { DatabaseUnavailable } from '../storage/database.ts';
import { type VoteStore, VotesUnavailable } from '../storage/vote.ts';
import type { BuildFollower, LiveBuild } from './build-follower.ts';
import { sendPage } from './files.ts';
import { mediaType, Refusal, type Route, readBody, sendError, sendJson } from './http.ts';
import { clientAddress, type Limit } from './limits.ts';
import { requestId } from './log.ts';
import type { ServerSettings } from './settings.ts';

/** The addresses of a publication. */
type Addresses = Pick<BuildInfo, 'baseUrl' | 'runtimeUrl'>;

/** Which pages may send votes, subscriptions and MCP messages, and how often a client may be refused. */
export class Gate {
  readonly follower: BuildFollower;
  /** The limit on refused requests. Valid requests never count toward it. */
  readonly refused: Limit;
  readonly log: Logger;
  readonly settings: Pick<ServerSettings, 'allowOrigin' | 'host' | 'trustProxy'>;

  constructor({ follower, refused, log, settings }: Pick<Gate, 'follower' | 'refused' | 'log' | 'settings'>) {
    this.follower = follower;
    this.refused = refused;
    this.log = log;
    this.settings = settings;
  }

  /**
   * The headers that let the page that sent a request read the answer (Fetch standard, CORS protocol). No page sent a request
   * without an Origin (C5.20).
   *
   * Throws Refusal `forbidden_origin` for any Origin that is not one of the site's own, including `null` and malformed ones.
   */
  cors(request: IncomingMessage, addresses: Addresses): Record<string, string> {
    const { origin } = request.headers;
    if (origin === undefined) return { vary: 'Origin' };
    if (!this.#isAllowed(origin, request, addresses)) {
      throw new Refusal('forbidden_origin', 'Requests from pages of other sites are not accepted.');
    }
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'RateLimit, RateLimit-Policy, Retry-After',
      vary: 'Origin',
    };
  }

  /**
   * The Host of a request counts too, since a server may not know all of its names. On a loopback address it counts only
   * if it is a loopback name or belongs to a known origin (C5.21): a page can point its name to a loopback address (DNS
   * rebinding), and its Origin and Host would then match.
   */
  #isAllowed(origin: string, { headers, socket }: IncomingMessage, { baseUrl, runtimeUrl }: Addresses): boolean {
    const { allowOrigin: allowed, host } = this.settings;
    const own = [baseUrl, ...(runtimeUrl === null ? [] : [runtimeUrl])].map((url) => new URL(url).origin);
    if (own.includes(origin) || allowed.includes(origin)) return true;
    const hostname = URL.canParse(origin) ? new URL(origin).hostname : '';
    const listensOnLoopback = isLoopback(host);
    if (listensOnLoopback && isLoopback(hostname)) return true;
    const onLoopback = listensOnLoopback || isLoopback(socket.localAddress ?? '');
    const isKnown = () =>
      isLoopback(hostname) || [...own, ...allowed].some((address) => new URL(address).hostname === hostname);
    const asked = headers.host?.toLowerCase();
    const isOwnHost = asked !== undefined && [`http://${asked}`, `https://${asked}`].includes(origin);
    return isOwnHost && (!onLoopback || isKnown());
  }

  /** Lets pages of known origins POST. `headers` are what differs between the routes. */
  async preflight(request: Request, response: Response, headers: Record<string, string>): Promise<void> {
    try {
      response.writeHead(204, {
        ...this.cors(request, this.follower.current().info),
        ...headers,
        'access-control-allow-methods': 'POST',
        'access-control-max-age': '86400',
      });
      response.end();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await this.refuse(request, response, error);
    }
  }

  /** Answers with an Error object. */
  async refuse(request: Request, response: Response, refusal: Refusal): Promise<void> {
    const { code, message, headers } = await this.limited(refusal, this.addressOf(request));
    sendError(response, code, message, headers);
  }

  /** The address of the client that sent a request. */
  addressOf(request: IncomingMessage): string {
    return clientAddress(request, this.settings.trustProxy);
  }

  /** Turns a refusal into `rate_limited` if the client was refused too often (C8.23). */
  async limited(refusal: Refusal, address: string): Promise<Refusal> {
    if (refusal.status >= 500 || refusal.code === 'rate_limited') return refusal;
    return this.refused.take(address).then(
      () => refusal,
      (error) => (error instanceof Refusal ? error : Promise.reject(error)),
    );
  }
}

/** Whether a host name or address is a loopback one. */
export function isLoopback(host: string): boolean {
  const plain = host
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .toLowerCase();
  return (
    plain === 'localhost' ||
    plain.endsWith('.localhost') ||
    plain === '::1' ||
    (isIP(plain) === 4 && plain.startsWith('127.'))
  );
}

/** How a body was sent: as JSON, or by a form without JavaScript. */
type BodyKind = 'json' | 'form';

/** The fields of a body. */
type Fields = Record<string, unknown>;

/**
 * The kind of body, according to the headers. Throws Refusal `unsupported_media_type` for other content types, for other
 * charsets than UTF-8, and for compressed bodies.
 */
function bodyKind(request: IncomingMessage): BodyKind {
  const type = mediaType(request);
  if (type === 'application/json') return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  throw new Refusal(
    'unsupported_media_type',
    'The content type has to be application/json, or application/x-www-form-urlencoded for forms.',
  );
}

/** Parses the fields of a body. Throws Refusal `invalid_body` if it is malformed or not an object. */
export function parseFields(body: Buffer, kind: BodyKind): Fields {
  if (!isUtf8(body)) throw new Refusal('invalid_body', 'The body is not UTF-8 text.');
  return kind === 'json' ? parseJson(body.toString('utf8')) : parseForm(body.toString('utf8'));
}

function parseJson(text: string): Fields {
  let value: unknown;
  try {
    value = parseBoundedJson(text);
  } catch (error) {
    if (error instanceof TooDeep) throw new Refusal('invalid_body', error.message);
    throw new Refusal('invalid_body', 'The body is not well-formed JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('invalid_body', 'The body has to be a JSON object.');
  }
  return value as Fields;
}

/** Parses application/x-www-form-urlencoded (URL standard), but refuses invalid UTF-8. The first of two fields with one name counts. */
function parseForm(text: string): Fields {
  if (!succeeds(() => decodeURIComponent(text)))
    throw new Refusal('invalid_body', 'The form has an escape sequence that is not UTF-8.');
  const fields: Fields = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) fields[name] ??= value.replaceAll('\r\n', '\n');
  return fields;
}

/** The largest body of a vote or a subscription, in bytes. 2,000 code points escaped as \uXXXX\uXXXX take 24 KB. */
const maxBodyBytes = 64 * 1024;

/** Does the work of a route and returns headers for the answer. Throws Refusal. */
type Take = (fields: Fields, address: string) => Promise<Record<string, string>>;

/**
 * The routes of one operation, for JSON and for forms without JavaScript, with its preflight and its 405. Forms are
 * redirected to the page `thanks` below the base URL.
 */
function postRoutes(path: string, take: Take, thanks: string, gate: Gate): Route[] {
  return [
    ['POST', path, (request, response) => answerPost(request, response, gate, take, thanks)],
    ['OPTIONS', path, (request, response) => gate.preflight(request, response, preflight)],
    ['ALL', path, (request, response) => gate.refuse(request, response, notPost())],
  ];
}

const preflight = { allow: 'POST, OPTIONS', 'access-control-allow-headers': 'Content-Type' };
const notPost = () => new Refusal('method_not_allowed', 'This address accepts POST.', { allow: preflight.allow });

/** The checks run in the order of C4.22. The router has checked the method; `take` checks the fields and the rest. */
async function answerPost(request: Request, response: Response, gate: Gate, take: Take, thanks: string) {
  const address = gate.addressOf(request);
  const build = gate.follower.current();
  let cors: Record<string, string> = {};
  let kind: BodyKind = 'json';
  try {
    cors = gate.cors(request, build.info);
    kind = bodyKind(request);
    const fields = parseFields(await readBody(request, maxBodyBytes), kind);
    const headers = { ...(await take(fields, address)), ...cors };
    if (kind === 'form') redirectToThanks(request, response, build, thanks, headers);
    else sendJson(response, 200, '{"ok":true}', headers);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.cause !== undefined)
      gate.log.error({ err: error.cause, path: request.path, request: requestId(request) }, error.message);
    const final = await gate.limited(error, address);
    await refuse(request, response, { build, kind, cors, refusal: final });
  }
}

/** Redirects to the page that thanks: on the static host if the form was there, else here. */
function redirectToThanks(
  request: IncomingMessage,
  response: ServerResponse,
  { info, basePath }: LiveBuild,
  thanks: string,
  headers: Record<string, string>,
): void {
  const { origin, host } = request.headers;
  const fromStaticHost = origin === new URL(info.baseUrl).origin && new URL(origin).host !== host;
  const location = fromStaticHost ? `${info.baseUrl}/${thanks}` : `${basePath}/${thanks}`;
  response.writeHead(303, { location, 'content-length': 0, 'cache-control': 'no-store', ...headers });
  response.end();
}

interface Refused {
  build: LiveBuild;
  kind: BodyKind;
  cors: Record<string, string>;
  refusal: Refusal;
}

/** Answers with an Error object, or with a page that says the same if a person sent a form. */
async function refuse(request: IncomingMessage, response: ServerResponse, { build, kind, cors, refusal }: Refused) {
  const { code, message, status } = refusal;
  const headers = { ...refusal.headers, ...cors };
  if (kind === 'form' && (request.headers.accept ?? '').includes('text/html')) {
    const fill = (text: string) => text.replaceAll(generalMessages.refused, () => escapeHtml(readerMessage(message)));
    await sendPage(response, build, { path: 'refused.html', status, headers, fill });
  } else sendError(response, code, message, headers);
  request.resume();
}

/** The name of the field that people leave empty and bots fill (C2.26). */
const honeypot = 'website';

/** Whether a body fills the honeypot. */
function isTrapped(fields: Fields): boolean {
  return (fields[honeypot] ?? '') !== '';
}

/** Parses fields with `schema`. Throws Refusal `invalid_body` with all problems, without repeating what was sent (C7.21). */
function parseBody<Schema extends z.ZodType>(schema: Schema, fields: Fields): z.infer<Schema> {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  const wrong = explain(schema, fields, { echo: false });
  throw new Refusal('invalid_body', wrong.map(({ message }) => message).join(' '));
}

/**
 * Returns what stores a vote (sendFeedback, C4.3 to C4.6). It resolves with the headers of the limit once the vote is on
 * disk. A request that fills the honeypot is ignored before its other fields are checked.
 *
 * It throws Refusal: `invalid_body`, `unknown_agent`, `rate_limited`, `unavailable`.
 */
export function takeVote(parts: { votes: VoteStore; follower: BuildFollower; limit: Limit }): Take {
  return async (fields, address) => {
    if (isTrapped(fields)) return {};
    const { slug, vote, note } = parseBody(feedbackRequest, fields);
    if (!(await isAgent(slug, parts.follower)))
      throw new Refusal('unknown_agent', 'No agent has this `slug`; /api/agents.json lists them all.');
    const headers = await parts.limit.take(address);
    try {
      await parts.votes.append({ slug, vote, note: storedNote(note), address });
    } catch (error) {
      if (!(error instanceof VotesUnavailable)) throw error;
      const message = 'Votes cannot be stored at the moment. Try again later.';
      throw new Refusal('unavailable', message, { 'retry-after': '30' }, error.isLogged ? undefined : error);
    }
    return headers;
  };
}

/** Whether an agent has the slug. An unknown slug makes the server look for a new build first. */
async function isAgent(slug: string, follower: BuildFollower): Promise<boolean> {
  if (follower.current().slugs.has(slug)) return true;
  await follower.refresh();
  return follower.current().slugs.has(slug);
}

/**
 * Returns what stores a subscription (C4.7 to C4.9). It resolves with the headers of the limit once
 * the provider has it. A valid request that fills the honeypot gets the same answer and is not stored.
 *
 * It throws Refusal: `invalid_body`, `rate_limited`, `upstream_failed`.
 */
export function takeSubscription(parts: {
  subscribers: SubscriberStore;
  /** Asks readers to confirm; null if they need not. */
  confirmations: Consent['confirmations'];
  limit: Limit;
}): Take {
  const { subscribers, confirmations, limit } = parts;
  return async (fields, address) => {
    const { email, list, note: text } = parseBody(subscribeRequest, fields);
    if (isTrapped(fields)) return {};
    const note = storedNote(text);
    const headers = await limit.take(address);
    const subscription: Subscription = { id: randomUUID(), time: new Date().toISOString(), email, list };
    if (note !== undefined) subscription.note = note;
    if (typeof fields.form === 'string' && /^[0-9a-f]{12}$/.test(fields.form)) subscription.form = fields.form;
    if (confirmations !== null) subscription.pending = true;
    try {
      const outcome = await subscribers.add(subscription);
      if (outcome === 'invalid') throw new Refusal('invalid_body', '`email` has to be an address that exists.');
      confirmations?.ask(subscription.id);
    } catch (error) {
      if (!(error instanceof ProviderFailed)) throw error;
      const message = 'The subscription could not be stored. Try again later.';
      throw new Refusal('upstream_failed', message, {}, error.isLogged ? undefined : error);
    }
    return headers;
  };
}

const invalid = [400, 'The link is incomplete or was changed. Open it again from the email.'] as const;
const problems = {
  forged: invalid,
  'other-purpose': invalid,
  expired: [410, 'The link worked for seven days and has expired. If you did not use it in time, subscribe again.'],
} as const;
const done = { confirm: 'confirmed', unsubscribe: 'unsubscribed' };
type Purpose = keyof typeof done;
const ended = [410, 'This subscription has ended. Subscribe again to get a new link.'] as const;
const failed = [503, 'Your answer could not be stored. Try again later.'] as const;

/**
 * The pages that links in emails open: GET shows a button and changes nothing, since programs that look for harmful emails
 * open links. POST does what the page says. It needs no cookies, no Origin and no body, and is not redirected (RFC 8058): the
 * token says who it is.
 */
function subscriptionRoutes(mount: string, consent: Consent, gate: Gate): Route[] {
  return (['confirm', 'unsubscribe'] as const).map((purpose) => [
    'ALL',
    `${mount}/subscription/${purpose}`,
    (request, response) => answerLink(request, response, purpose, consent, gate),
  ]);
}

async function answerLink(request: Request, response: Response, purpose: Purpose, consent: Consent, gate: Gate) {
  const { follower, log } = gate;
  const token = new URLSearchParams(request.search).get('token') ?? '';
  // The form names the token, since w3m sends a form without an action to the address without its query.
  const query = `?token=${encodeURIComponent(token)}`;
  const page = (name: string, status = 200, message = '', headers: Record<string, string> = {}) =>
    sendPage(response, follower.current(), {
      path: `subscription/${name}.html`,
      status,
      // Otherwise, requests from the page would contain its address with the token.
      headers: { 'referrer-policy': 'strict-origin', ...headers },
      fill: (text) => text.replaceAll(generalMessages.failed, () => message).replace('?token=', query),
    });
  request.resume();
  const { method = '' } = request;
  if (!['GET', 'HEAD', 'POST'].includes(method)) {
    return page('failed', 405, 'This address accepts GET and POST.', { allow: 'GET, HEAD, POST' });
  }
  const claims = consent.readToken(token, purpose);
  if (typeof claims === 'string') {
    const [status, message] = problems[claims];
    const refusal = await gate.limited(new Refusal('invalid_body', message), gate.addressOf(request));
    return page('failed', refusal.code === 'rate_limited' ? refusal.status : status, refusal.message, refusal.headers);
  }
  if (method !== 'POST') return page(purpose);
  try {
    if (purpose === 'unsubscribe') await consent.unsubscribe(claims);
    else if (!(await consent.confirm(claims))) return page('failed', ...ended);
    return page(done[purpose]);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable && error.isLogged)) {
      log.error({ err: error, path: request.path }, 'what a reader answered to an email could not be stored');
    }
    return page('failed', ...failed);
  }
}

/** Where what readers send is stored, and how much of it each of them may send. */
interface Stores {
  votes: VoteStore;
  subscribers: SubscriberStore;
  consent: Consent | null;
  voteLimit: Limit;
  subscribeLimit: Limit;
}

/** The routes that store what readers send, below a path. */
export function formRoutes(mount: string, stores: Stores, gate: Gate): Route[] {
  const { votes, subscribers, consent, voteLimit, subscribeLimit } = stores;
  const vote = takeVote({ votes, follower: gate.follower, limit: voteLimit });
  const confirmations = consent?.confirmations ?? null;
  const subscription = takeSubscription({ subscribers, confirmations, limit: subscribeLimit });
  return [
    ...postRoutes(`${mount}/api/feedback`, vote, 'thanks/vote', gate),
    ...postRoutes(`${mount}/api/subscribe`, subscription, 'thanks/sign-up', gate),
    ...(consent === null ? [] : subscriptionRoutes(mount, consent, gate)),
  ];
}
