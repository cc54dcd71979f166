import { createHash } from 'node:crypto';
import http from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import * as assert from 'uvu/assert';
import { ask } from './requests.ts';

/** A path of each kind of file that a build has. */
export const paths = [
  '/',
  '/agents/one',
  '/agents/one/prompt.txt',
  '/api/agents.json',
  '/api/agents/one.json',
  '/llms-full.txt',
  '/feed.xml',
  '/build.json',
];

const decode: Record<string, (body: Buffer) => Promise<Buffer>> = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  identity: async (body) => body,
};

/**
 * Reads `paths` again and again, in every encoding and form, until it is stopped. Then it fails if an answer did not fit its
 * own headers.
 */
export function startReading(address: string, base = '') {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 6 });
  const wrong: string[] = [];
  /** The bytes of each ETag, to compare ranges with. */
  const known = new Map<string, Buffer>();
  /** The builds that were seen. */
  const builds = new Set<string>();
  let going = true;
  let count = 0;

  async function readOnce(number: number): Promise<void> {
    const path = `${base}${paths[number % paths.length]}`;
    const form = Math.floor(number / paths.length) % 5;
    const accept = ['br', 'gzip', 'identity', 'gzip, br', 'identity'][form] ?? '';
    const method = form === 3 ? 'HEAD' : 'GET';
    const range = form === 4 && number % 2 === 0 ? { range: 'bytes=1-40' } : {};
    const { status, headers, body } = await ask(address, path, {
      agent,
      method,
      headers: { 'accept-encoding': accept, ...range },
    });
    const told = `${method} ${path} ${accept} ${JSON.stringify(range)}: ${status} ${JSON.stringify(headers)}`;
    const hash = /^"([0-9a-f]{32})(?:-(?:br|gzip))?"$/.exec(headers.etag ?? '')?.[1] ?? 'none';
    if (status !== ('range' in range ? 206 : 200)) wrong.push(told);
    else if (method === 'HEAD') {
      if (hash === 'none' || body.length > 0 || Number(headers['content-length']) < 10) wrong.push(told);
    } else if (Number(headers['content-length']) !== body.length) wrong.push(`length ${body.length}, ${told}`);
    else if (status === 206) {
      const [, total] = /^bytes 1-40\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
      const whole = known.get(hash);
      const fits = whole === undefined || (whole.length === Number(total) && whole.subarray(1, 41).equals(body));
      if (hash === 'none' || body.length !== 40 || !fits) wrong.push(`range, ${told}`);
    } else {
      const bytes = await (decode[headers['content-encoding'] ?? 'identity'] as (typeof decode)[string])(body);
      if (createHash('sha256').update(bytes).digest('hex').slice(0, 32) !== hash) wrong.push(`hash, ${told}`);
      known.set(hash, bytes);
      if (path === `${base}/build.json`) builds.add(JSON.parse(bytes.toString('utf8')).id);
    }
  }

  const working = Array.from({ length: 6 }, async () => {
    while (going) {
      count += 1;
      await readOnce(count).catch((error) => wrong.push(String(error)));
    }
  });
  return {
    builds,
    count: () => count,
    async stop() {
      going = false;
      await Promise.all(working);
      agent.destroy();
      assert.equal(wrong.slice(0, 5), []);
    },
  };
}
