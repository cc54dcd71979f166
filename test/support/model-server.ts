import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to an imitation of a model's API. */
export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: { model: string; messages: { role: string; content: string }[] } & Record<string, unknown>;
  /** The message. */
  message: string;
}

export interface ModelServer {
  /** The address for --url. */
  url: string;
  /** The requests so far. */
  asked: Asked[];
  /** What answers the next requests. */
  answer: (response: ServerResponse, asked: Asked) => unknown;
  stop(): void;
}

/** Starts an imitation of a model's API on a free port. */
export async function startModelServer(): Promise<ModelServer> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Asked['body'];
    const asked = { path: request.url ?? '', headers: request.headers, body, message: body.messages[0]?.content ?? '' };
    model.asked.push(asked);
    await model.answer(response, asked);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const model: ModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    answer: (response) => says(response, 'Rows: 5 read\nOdd: nothing\n'),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  return model;
}

/** Answers as OpenAI's API does. */
export function says(response: ServerResponse, content: string, change: object = {}): void {
  json(response, 200, {
    choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7 },
    ...change,
  });
}

export function json(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
