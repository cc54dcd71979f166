import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Services that send emails, imitated after their documentation: what they store, check and answer. */

/** A request that a service got. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of three services
  body: any;
}

export interface Reply {
  status: number;
  body?: unknown;
}

/** An email that a service sent to readers. */
export interface SentMail {
  id: string;
  /** To which tag, segment or list; null: to everyone. */
  to: string | number | null;
  subject: string;
  html: string;
  text: string | null;
}

/**
 * What is done to a request: `lost` before or after it had its effect, done but never answered, or answered with a status and
 * perhaps a Retry-After.
 */
export type Fault = 'lost before' | 'lost after' | 'no answer' | number | { status: number; retryAfter: string } | null;

export interface Service {
  url: string;
  asked: Asked[];
  sent: SentMail[];
  /** Emails that went to a single address as a test. */
  tests: (SentMail & { address: string })[];
  /** Decides what happens to a request. @default nothing */
  fault: (asked: Asked) => Fault;
  close(): Promise<void>;
}

export type Answer = (asked: Asked, service: Service) => Reply;

/** Starts a service on a free port. `onSilence` is called when it got a request that it will not answer. */
export async function startService(answer: Answer, onSilence = () => {}): Promise<Service> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const asked: Asked = {
      method: request.method ?? '',
      path: decodeURIComponent(pathname),
      query: searchParams,
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    service.asked.push(asked);
    const fault = service.fault(asked);
    if (fault === 'lost before') return request.socket.destroy();
    const refusal = typeof fault === 'number' ? { status: fault } : typeof fault === 'string' ? null : fault;
    const { status, body = {} }: Reply = refusal ?? answer(asked, service);
    if (fault === 'lost after') return request.socket.destroy();
    if (fault === 'no answer') return onSilence();
    const retryAfter = refusal !== null && 'retryAfter' in refusal ? { 'retry-after': refusal.retryAfter } : {};
    response.writeHead(status, { 'content-type': 'application/json', ...retryAfter });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const service: Service = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    sent: [],
    tests: [],
    fault: () => null,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return service;
}

const leave = 'https://leave.example/';

/** Replaces what is in braces, as the templates of Buttondown do. An unknown name is empty. */
const django = (text: string) =>
  text.replace(/\{\{\s*unsubscribe_url\s*\}\}/g, leave).replace(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{#[\s\S]*?#\}/g, '');

/** Buttondown, with one tag. */
export function buttondown(tag = 'daily', status: (id: string) => string = () => 'about_to_send'): Answer {
  // biome-ignore lint/suspicious/noExplicitAny: stored as sent
  const emails = new Map<string, any>();
  const mailOf = (id: string): SentMail => {
    const { subject, body, filters } = emails.get(id);
    return { id, to: filters.filters[0]?.value ?? null, subject: django(subject), html: django(body), text: null };
  };
  return ({ method, path, query, headers, body }, service) => {
    if (headers.authorization !== 'Token k3y') return { status: 401, body: { code: 'unauthorized' } };
    const [, id = '', action] = /^\/v1\/emails\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    if (path === '/v1/tags')
      return { status: 200, body: { results: [{ id: 'sub_tag_0k28edc3fw896bp4mrhc535z5k', name: tag }], next: null } };
    if (path === '/v1/emails' && method === 'GET') {
      // Two on a page.
      const page = Number(query.get('page') ?? 1);
      const all = [...emails.values()];
      const next = all.length > page * 2 ? `${service.url}/v1/emails?page=${page + 1}` : null;
      return { status: 200, body: { results: all.slice(page * 2 - 2, page * 2), next, count: all.length } };
    }
    if (path === '/v1/emails') {
      const known = ['subject', 'body', 'status', 'metadata', 'filters', 'slug', 'canonical_url'];
      if (Object.keys(body).some((key) => !known.includes(key))) return { status: 422, body: { detail: [] } };
      if (String(body.body).startsWith('---')) return { status: 400, body: { code: 'body_invalid' } };
      const email = { ...body, id: `em_${emails.size + 1}`, status: body.status ?? 'about_to_send' };
      emails.set(email.id, email);
      if (email.status !== 'draft') service.sent.push(mailOf(email.id));
      return { status: 201, body: email };
    }
    const email = emails.get(id);
    if (email === undefined) return { status: 404, body: { code: 'not_found' } };
    if (method === 'PATCH') Object.assign(email, body);
    if (action === 'publish') {
      service.sent.push(mailOf(id));
      email.status = status(id);
    }
    if (action === 'send-draft') {
      for (const address of body.recipients) service.tests.push({ ...mailOf(id), address });
    }
    return { status: 200, body: email };
  };
}

const triple = (text: string) =>
  text.replaceAll('{{{RESEND_UNSUBSCRIBE_URL}}}', leave).replace(/\{\{\{[\s\S]*?\}\}\}/g, '');

/** Resend, with one segment. */
export function resend(segment: string): Answer {
  // biome-ignore lint/suspicious/noExplicitAny: stored as sent
  const broadcasts: any[] = [];
  const mailOf = ({ id = 'test', segment_id = null, subject, html, text }: Asked['body']): SentMail => ({
    ...{ id, to: segment_id },
    ...{ subject: triple(subject), html: triple(html), text: triple(text) },
  });
  return ({ method, path, query, headers, body }, service) => {
    if (headers['user-agent'] === undefined) return { status: 403, body: { name: 'restricted' } };
    if (headers.authorization !== 'Bearer k3y') return { status: 401, body: { name: 'missing_api_key' } };
    const [, id = '', action] = /^\/broadcasts\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    if (path === `/segments/${segment}`)
      return { status: 200, body: { object: 'segment', id: segment, name: 'Daily' } };
    if (path === '/emails') {
      service.tests.push({ ...mailOf(body), address: body.to[0] });
      return { status: 200, body: { id: 'mail_1' } };
    }
    if (path === '/broadcasts' && method === 'GET') {
      const start = broadcasts.findIndex((each) => each.id === query.get('after')) + 1;
      const data = broadcasts.slice(start, start + 2);
      return { status: 200, body: { object: 'list', has_more: start + 2 < broadcasts.length, data } };
    }
    if (path === '/broadcasts') {
      const broadcast = { ...body, id: `br_${broadcasts.length + 1}`, status: body.send ? 'queued' : 'draft' };
      broadcasts.push(broadcast);
      return { status: 201, body: { id: broadcast.id, object: 'broadcast' } };
    }
    const broadcast = broadcasts.find((each) => each.id === id);
    if (broadcast === undefined) return { status: 404, body: { name: 'not_found' } };
    if (method === 'PATCH') Object.assign(broadcast, body);
    if (action === 'send') {
      service.sent.push(mailOf(broadcast));
      broadcast.status = 'queued';
      return { status: 200, body: { id } };
    }
    return { status: 200, body: broadcast };
  };
}

/** Go's templates: a text in quotation marks is literal. */
const go = (text: string) =>
  text
    .replace(/https?:\/\/\S+?@TrackLink/g, 'https://counted.example/')
    .replace(/\{\{\s*(?:"([^"]*)"|UnsubscribeURL|(?!\s|")[^}]*)\s*\}\}/g, (action, quoted) =>
      quoted === undefined ? (action.includes('UnsubscribeURL') ? leave : '') : quoted,
    );

/** The same for plain text, which listmonk parses as HTML: it sends nothing that could begin a tag, except a safe literal. */
const goPlain = (template: string) => {
  const literals = /\{\{ Safe ("(?:[^"\\]|\\.)*") \}\}/g;
  if (template.replace(literals, '').includes('<')) throw new Error('cannot be rendered');
  return template
    .split(literals)
    .map((part, at) => (at % 2 === 1 ? JSON.parse(part) : go(part)))
    .join('');
};

/** listmonk, with list 1 and template 7. */
export function listmonk(template = '<body>{{ template "content" . }}</body>'): Answer {
  // biome-ignore lint/suspicious/noExplicitAny: stored as sent
  const campaigns: any[] = [];
  const mailOf = ({ id, lists, subject, body, altbody }: Asked['body']): SentMail => ({
    ...{ id: String(id), to: lists[0].id, subject: go(subject) },
    ...{ html: template.replace(/\{\{ template "content" \. \}\}/, () => go(body)), text: goPlain(altbody) },
  });
  return ({ method, path, query, headers, body }, service) => {
    if (headers.authorization !== `Basic ${Buffer.from('api:k3y').toString('base64')}`) return { status: 403 };
    if (path === '/api/lists/1') return { status: 200, body: { data: { id: 1, name: 'Daily' } } };
    if (path === '/api/templates/7') return { status: 200, body: { data: { id: 7, body: template } } };
    if (path === '/api/campaigns' && method === 'GET') {
      // It searches for words too, with to_tsquery of PostgreSQL.
      if (query.get('query')?.includes(':')) return { status: 500, body: { message: 'syntax error in tsquery' } };
      const results = campaigns.filter((each) => each.name.includes(query.get('query')));
      return { status: 200, body: { data: { results } } };
    }
    if (path === '/api/campaigns') {
      const lists = body.lists.map((list: number) => ({ id: list }));
      const campaign = { ...body, lists, id: campaigns.length + 1, status: 'draft' };
      campaigns.push(campaign);
      return { status: 200, body: { data: campaign } };
    }
    const [, id, action] = /^\/api\/campaigns\/(\d+)(?:\/(.+))?$/.exec(path) ?? [];
    const campaign = campaigns.find((each) => each.id === Number(id));
    if (campaign === undefined) return { status: 400, body: { message: 'not found' } };
    if (method === 'PUT' && action === undefined) Object.assign(campaign, { ...body, lists: campaign.lists });
    if (action === 'status') {
      if (!/^(?:draft|paused)$/.test(campaign.status)) return { status: 400, body: { message: 'not a draft' } };
      campaign.status = 'running';
      service.sent.push(mailOf(campaign));
    }
    if (action === 'test') {
      for (const address of body.subscribers) service.tests.push({ ...mailOf(campaign), address });
    }
    return { status: 200, body: { data: campaign } };
  };
}
