import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { run } from './process.ts';

/** Runs the curl commands of the documentation: by a shell and curl, or where they are missing without them. */

export interface CurlAnswer {
  status: number;
  headers: Headers;
  body: string;
}

const curlIsThere = spawnSync('sh', ['-c', 'curl --version']).status === 0;

/** Runs a command. Fails where curl gets no answer. */
export async function runCurl(command: string): Promise<CurlAnswer> {
  if (!curlIsThere) return ask(command);
  const { stdout, stderr, code } = await run('sh', ['-c', `${command} -i --max-time 15`]);
  assert.is(code, 0, `${command} ended with ${code}: ${stderr}`);
  return parseAnswer(stdout);
}

function parseAnswer(text: string): CurlAnswer {
  const [head = '', ...rest] = text.replace(/^(?:HTTP\/1\.1 1\d\d .*?\r\n\r\n)+/s, '').split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

/** Sends what curl would send, as far as the page uses it. */
async function ask(command: string): Promise<CurlAnswer> {
  const words = [...command.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, single, double, plain]) =>
      single ??
      plain ??
      (double ?? '').replace(/\\(["\\])/g, '$1').replace(/\$\(printf %0(\d+)d 0\)/g, (_, size) => '0'.repeat(size)),
  );
  const headers: Record<string, string> = { connection: 'close', accept: '*/*' };
  let [method, body, url] = ['', '', ''];
  for (const [at, word] of words.entries()) {
    const value = words[at + 1] ?? '';
    if (word === '-X') method = value;
    else if (word === '-d') body = value;
    else if (word === '-r') headers.range = `bytes=${value}`;
    else if (word === '-sI') method = 'HEAD';
    else if (word === '-H') {
      const [name = '', given = ''] = value.split(/: ?(.*)/s, 2);
      headers[name.toLowerCase()] = given;
    } else if (word.startsWith('http://')) url = word;
  }
  const { pathname, host, hostname, port } = new URL(url);
  if (body !== '') {
    headers['content-type'] ??= 'application/x-www-form-urlencoded';
    headers['content-length'] ??= String(Buffer.byteLength(body));
  }
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  method ||= body === '' ? 'GET' : 'POST';
  return new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => chunks.length === 0 && failed(error));
    socket.on('close', () => done(parseAnswer(Buffer.concat(chunks).toString('latin1'))));
    socket.write(`${method} ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  });
}
