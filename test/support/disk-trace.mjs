/**
 * Preloaded into a server: adds one line of JSON to the file TRACE for each step of a vote on its way to the disk
 * (`written` with the notes, `syncing`, `synced`) and for each answer to it (`answered` with the status and the header
 * x-note), in the order in which they happen. Each sync is made SLOW_MS slower. While the file FULL exists, a write to
 * the log, or to its probe, does half of its work and fails with ENOSPC.
 */
import { appendFileSync, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const { TRACE, FULL, SLOW_MS } = process.env;
const note = (step) => TRACE && appendFileSync(TRACE, `${JSON.stringify(step)}\n`);
const notesIn = (text) => [...text.matchAll(/"note":"([^"]*)"/g)].map(([, found]) => found);

const { open } = fs;
fs.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (!/votes\.jsonl(?:\.probe)?$/.test(path)) return handle;
  const { write, datasync } = handle;
  handle.write = async (bytes, from, length, at) => {
    if (FULL && existsSync(FULL)) {
      await write.call(handle, bytes, from, length >> 1, at);
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }
    const result = await write.call(handle, bytes, from, length, at);
    note({ step: 'written', notes: notesIn(bytes.subarray(from, from + result.bytesWritten).toString('utf8')) });
    return result;
  };
  handle.datasync = async () => {
    note({ step: 'syncing' });
    if (SLOW_MS) await sleep(Number(SLOW_MS));
    await datasync.call(handle);
    note({ step: 'synced' });
  };
  return handle;
};

const { writeHead } = http.ServerResponse.prototype;
http.ServerResponse.prototype.writeHead = function (status, ...rest) {
  const name = this.req.headers['x-note'];
  if (name !== undefined) note({ step: 'answered', status, note: name });
  return writeHead.call(this, status, ...rest);
};
syncBuiltinESMExports();
