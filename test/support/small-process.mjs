/**
 * Import this file to run git from a small process. On Linux, Node starts a process by forking, and the kernel copies the
 * page tables of the whole process: with the 150 MB of a test process, that takes five times as long as git itself.
 *
 * It replaces `execFileSync` for git. A second Node process, which loads nothing but this file, runs the command with the
 * same function and options, and its result or error is passed on. It ends when this process does.
 */
import child from 'node:child_process';
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';

const file = fileURLToPath(import.meta.url);
const { execFileSync } = child;
if (process.argv[1] === file) answer(openSync(process.argv[2], 'r'), openSync(process.argv[3], 'w'));
else if (process.platform === 'linux') install();

/** Starts the small process, and lets it run git. */
function install() {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-pipes-'));
  const pipes = ['requests', 'results'].map((name) => join(folder, name));
  execFileSync('mkfifo', pipes);
  child.spawn(process.execPath, [file, ...pipes], { stdio: ['ignore', 'ignore', 'inherit'] }).unref();
  // Each call waits until the other process has opened the other end.
  const [requests, results] = [openSync(pipes[0], 'w'), openSync(pipes[1], 'r')];
  rmSync(folder, { recursive: true });
  child.execFileSync = (command, args = [], options = {}) => {
    if (command !== 'git') return execFileSync(command, args, options);
    const { cwd = process.cwd(), env = process.env } = options;
    send(requests, [command, args, { ...options, cwd, env: { ...env } }]);
    const { value, error } = receive(results);
    if (error !== undefined) throw Object.assign(new Error(error.message), error);
    return value;
  };
  syncBuiltinESMExports();
}

/** Runs one command after the other, until the process that asks for them has ended. */
function answer(requests, results) {
  for (let call = receive(requests); call !== undefined; call = receive(requests)) {
    try {
      send(results, { value: execFileSync(...call) });
    } catch (error) {
      const { message, code, status, signal, stdout, stderr } = error;
      send(results, { error: { message, code, status, signal, stdout, stderr } });
    }
  }
}

/** Writes a value after the length of its bytes. */
function send(pipe, value) {
  const bytes = serialize(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  for (let rest = Buffer.concat([length, bytes]); rest.length > 0; ) rest = rest.subarray(writeSync(pipe, rest));
}

/** Reads what `send` wrote; undefined if the other process has ended. */
function receive(pipe) {
  const length = read(pipe, 4);
  return length === undefined ? undefined : deserialize(read(pipe, length.readUInt32LE()));
}

function read(pipe, length) {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const count = readSync(pipe, bytes, done, length - done);
    if (count === 0) return undefined;
    done += count;
  }
  return bytes;
}
