/**
 * Import this file to run git from a small process. On Linux, Node starts a process by forking, and the kernel copies the
 * page tables of the whole process: with the hundreds of MB of a test process, that takes longer than most git commands.
 *
 * It replaces `execFileSync` for git. A shell runs each command: it reads the folder, the environment and the words from a
 * script, stdin from a file, and writes stdout and stderr to files. The shell ends when this process does. Of the options of
 * `execFileSync`, it knows `cwd`, `env`, `input` and `encoding`; there is no time limit.
 */
import child from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { execFileSync } = child;
// Those that a test replaces, as for a disk that fails, are for the program.
const { mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } = fs;
if (process.platform === 'linux') install();

/** Starts the shell, and lets it run git. */
function install() {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-git-'));
  const path = (name) => join(folder, name);
  const [requests, results] = ['requests', 'results'].map(path);
  execFileSync('mkfifo', [requests, results]);
  writeFileSync(path('stdin'), '');
  const loop = 'while read -r _; do (. ./script) < stdin > stdout 2> stderr; echo $? >&3; done';
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  child.spawn('sh', ['-c', `exec < requests 3> results; ${loop}`], options).unref();
  // Each call waits until the shell has opened the other end.
  const pipes = [openSync(requests, 'w'), openSync(results, 'r')];
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const inherited = { ...process.env };
  let isInputEmpty = true;
  child.execFileSync = (command, args = [], options = {}) => {
    if (command !== 'git') return execFileSync(command, args, options);
    const { cwd = process.cwd(), env = process.env, input = '', encoding } = options;
    const run = ['exec', 'git', ...args.map(quoted)].join(' ');
    writeFileSync(path('script'), `cd -P ${quoted(cwd)} || exit 127\n${changes(inherited, env)}${run}\n`);
    if (!isInputEmpty || input.length > 0) writeFileSync(path('stdin'), input);
    isInputEmpty = input.length === 0;
    const status = ask(...pipes);
    // The shell cannot start git. Node says why, with a code.
    if (status === 126 || status === 127) return execFileSync(command, args, options);
    const stdout = readFileSync(path('stdout'), encoding);
    if (status === 0) return stdout;
    const stderr = readFileSync(path('stderr'), encoding);
    throw Object.assign(new Error(`Command failed: ${run}\n${stderr}`), { status, stdout, stderr });
  };
  syncBuiltinESMExports();
}

/** The commands that change the environment of the shell, `inherited`, to `env`. */
function changes(inherited, env) {
  const names = Object.keys({ ...inherited, ...env }).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  return names
    .filter((name) => env[name] !== inherited[name])
    .map((name) => (env[name] === undefined ? `unset ${name}\n` : `export ${name}=${quoted(env[name])}\n`))
    .join('');
}

function quoted(text) {
  return `'${String(text).replaceAll("'", "'\\''")}'`;
}

/** Lets the shell run the script, and returns its exit code. */
function ask(requests, results) {
  writeSync(requests, '\n');
  const answer = Buffer.alloc(16);
  const length = readSync(results, answer);
  if (length === 0) throw new Error('The shell that runs git has ended.');
  return Number(answer.toString('latin1', 0, length));
}
