import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once as onlyOnce } from '../../src/lib/lazy.ts';
import { freePort } from '../../test/support/free-port.ts';
import { bundleModule } from '../bundle-module.ts';
import type { Job, Measured } from './load.ts';

/** A server under measurement. */
export interface Server {
  port: number;
  /** The CPU time that it has used so far, in milliseconds in steps of 10; NaN where the system does not say. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** The user and system time of a process (proc(5), stat), in milliseconds. */
function cpuMsOf({ pid }: ChildProcess): number {
  if (process.platform !== 'linux') return Number.NaN;
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/\(.*\)/s, '')
    .split(/\s+/);
  return (Number(fields[10]) + Number(fields[11])) * 10;
}

/** Whether a program is on PATH. */
export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** Servers have one core and the generator another, where that can be had. */
export const isPinned = isInstalled('taskset') && availableParallelism() > 1;
const cores = { server: '0', load: '1' };

function pinned(core: keyof typeof cores, command: string[]): [string, string[]] {
  const [program = '', ...args] = isPinned ? ['taskset', '-c', cores[core], ...command] : command;
  return [program, args];
}

const catalogProgram = fileURLToPath(new URL('../../bin/catalog.js', import.meta.url));

/** Starts the compiled `catalog serve`, without limits unless `env` has some; its log goes to a file. */
export function startCatalog(dist: string, data: string, node: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const unlimited = { CATALOG_VOTE_RATE: 'off', CATALOG_MCP_RATE: 'off', CATALOG_MAX_CLIENT_CONNECTIONS: '0' };
  const flags = ['--port', '0', '--out', dist, '--data', data];
  return startNode([...node, catalogProgram, 'serve', ...flags], data, { ...unlimited, ...env });
}

/** It is bundled like the program, which it is compared with. */
const otherServer = onlyOnce(() => bundleModule(new URL('./serve-other.ts', import.meta.url)));

/** Starts one of tools/bench/serve-other.ts. `folder` gets its log. */
export function startOther(args: string[], folder: string, node: string[] = [], env: NodeJS.ProcessEnv = {}) {
  return startNode([...node, otherServer(), ...args], folder, env);
}

async function startNode(args: string[], folder: string, env: NodeJS.ProcessEnv): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const [executable, all] = pinned('server', [process.execPath, ...args]);
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(executable, all, {
    stdio: ['ignore', openSync(join(folder, 'stdout.log'), 'a'), 'pipe'],
    env: { PATH, HOME, TMPDIR, ...env },
  });
  let said = '';
  const port = await new Promise<number>((found, failed) => {
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      said += text;
      const match = /Serving the catalog at \S*:(\d+)/.exec(said);
      if (match !== null) found(Number(match[1]));
    });
    child.once('exit', () => failed(new Error(`A server ended: ${said}`)));
  });
  return { port, cpuMs: () => cpuMsOf(child), stop: () => end(child) };
}

/** Starts nginx with one worker that serves a folder and logs to a file, as the others do. */
export async function startNginx(root: string, folder: string): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log ${folder}/access.log combined buffer=4k flush=1s;
  types { application/json json; }
  keepalive_requests 100000000; sendfile on; open_file_cache max=100;
  gzip off;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`,
  );
  const [program, args] = pinned('server', [
    'nginx',
    '-p',
    folder,
    '-e',
    `${folder}/error.log`,
    '-c',
    `${folder}/nginx.conf`,
  ]);
  const child = spawn(program, args, { stdio: 'ignore' });
  const deadline = Date.now() + 5_000;
  while (
    !(await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ))
  ) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error('nginx did not start.');
    await new Promise((done) => setTimeout(done, 50));
  }
  // Its worker does the work, in a process of its own.
  return { port, cpuMs: () => Number.NaN, stop: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.removeAllListeners('exit');
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** The load generator of tools/bench/load.ts. */
export interface Generator {
  run(job: Job): Promise<Measured>;
  stop(): Promise<void>;
}

export function startGenerator(): Generator {
  const [program, args] = pinned('load', [
    process.execPath,
    '--import',
    'tsx',
    fileURLToPath(new URL('./load.ts', import.meta.url)),
  ]);
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return {
    async run(job) {
      child.send(job);
      const [answer] = (await once(child, 'message')) as [Measured | { error: string }];
      if ('error' in answer) throw new Error(answer.error);
      return answer;
    },
    stop: () => end(child),
  };
}

/** Measures with wrk, which takes whole seconds and costs a fraction of a generator in JavaScript. */
export async function wrk(url: string, headers: Record<string, string>, connections: number, seconds: number) {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const command = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...given, url];
  const [program, args] = pinned('load', command);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(text);
  const percentile = (share: number) => {
    const [, value, unit] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? [];
    return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
  };
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  const answers = Number(/(\d+) requests in/.exec(text)?.[1]);
  return { rate, answers, p50: percentile(50), p99: percentile(99) } satisfies Measured;
}
