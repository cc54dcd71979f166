import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, type Server as Listener, createServer as listen, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { bundled, writeFiles } from './catalog.ts';
import { identity } from './git.ts';
import { catalog, run } from './process.ts';
import { knownHost, privateKey, writeSsh } from './ssh.ts';
import { type ActionCall, playWorkflow, type Run, readWorkflow, type Step } from './workflow.ts';

const shiftClock = fileURLToPath(new URL('./shift-clock.mjs', import.meta.url));
const bin = fileURLToPath(new URL('../../bin/catalog.js', import.meta.url));
const RealDate = Date;

/** Runs git in a folder; it has to end well. Returns what it wrote. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run('git', args, { cwd, env: identity });
  assert.is(code, 0, `git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** An imitation of a place like GitHub: a bare repository, Pages, issues, and a host that is reached by ssh. */
export interface Forge {
  /** The bare repository. */
  remote: string;
  /** What readers find: the files that were deployed last. */
  pages: string;
  /** The address of those files. */
  address: string;
  /** The folder on the host of the runtime. */
  runtime: string;
  /** The files of private keys that ssh was called with. */
  keys(): string[];
  /** The previews that were uploaded, one folder each run. */
  preview: string;
  /** The titles and bodies of the issues that were opened. */
  issues: { title: string; body: string }[];
  /** Plays one of the project's workflows as on the day given. */
  play(file: 'publish.yml' | 'validate.yml', options: PlayOptions): Promise<Run>;
  close(): Promise<void>;
}

export interface PlayOptions {
  /** YYYY-MM-DD; it is noon there. */
  today: string;
  /** What started publish.yml; default: its schedule. */
  event?: 'schedule' | 'push' | 'workflow_dispatch';
  /** The branch that is checked out; default: main. */
  branch?: string;
  /** Called before each step that runs a command, with the folder of the job. */
  beforeStep?: (job: string, step: Step) => void | Promise<void>;
  /** Whether GitHub Pages is off, as in a new repository. */
  withoutPages?: boolean;
  /** Whether the repository is a fork. */
  fork?: boolean;
  /** Whether `catalog` runs here instead of in a process of its own, which takes a quarter of the time. Default: true. */
  inProcess?: boolean;
  /** Called with each new clone. */
  onCheckout?: (workspace: string, job: string) => void | Promise<void>;
}

/** Makes a forge in a folder; the repository has no commit yet. */
export async function makeForge(folder: string): Promise<Forge> {
  const remote = join(folder, 'remote.git');
  const pages = join(folder, 'pages');
  const tools = join(folder, 'tools');
  const temporary = join(folder, 'jobs');
  const runtime = join(folder, 'runtime');
  const preview = join(folder, 'preview');
  for (const path of [pages, temporary]) mkdirSync(path);
  await git(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main', remote);
  await git(remote, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  writeTools(tools);
  const issues: Forge['issues'] = [];
  const server = await serve(pages, issues);
  const program = await serveProgram();
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function play(file: string, options: PlayOptions): Promise<Run> {
    const event = file === 'validate.yml' ? 'pull_request' : (options.event ?? 'schedule');
    const {
      today,
      branch = 'main',
      beforeStep,
      onCheckout,
      withoutPages = false,
      fork = false,
      inProcess = true,
    } = options;
    let artifact = '';
    const started = (await git(remote, 'rev-parse', branch)).trim();
    return playWorkflow(readWorkflow(join(bundled, '.github/workflows', file)), {
      temporary,
      contexts: {
        github: {
          event_name: event,
          // GitHub names no repository in the event of a scheduled run.
          event: event === 'schedule' ? {} : { repository: { default_branch: 'main' } },
          ref: `refs/heads/${branch}`,
          ref_name: branch,
          token: 'token-of-the-job',
        },
        vars: { RUNTIME_TARGET: `catalog@runtime.example:${runtime}` },
        // A run for a pull request gets no secrets: it may come from a fork.
        secrets: file === 'validate.yml' ? {} : { RUNTIME_SSH_KEY: privateKey, RUNTIME_KNOWN_HOSTS: knownHost },
      },
      env: {
        ...identity,
        PATH: `${tools}:${process.env.PATH}`,
        CLOCK_SHIFT: String(Date.parse(`${today}T12:00:00Z`) - Date.now()),
        GITHUB_API_URL: `${address}/api`,
        GITHUB_REPOSITORY: 'press/catalog',
        FORK: String(fork),
        PROGRAM_PORT: inProcess ? String((program.address() as AddressInfo).port) : '',
      },
      ...(beforeStep === undefined ? {} : { beforeStep }),
      actions: {
        'actions/checkout': async ({ workspace, with: { ref = '', 'fetch-depth': depth = '1' }, job }) => {
          const shallow = depth === '0' ? [] : ['--depth', depth];
          await git(folder, 'clone', '--quiet', ...shallow, '--branch', branch, `file://${remote}`, workspace);
          if (ref !== '') {
            await git(workspace, 'fetch', '--quiet', ...shallow, 'origin', ref);
            await git(workspace, 'checkout', '--quiet', ref);
          } else {
            // By default, the commit that started the run, whatever the branch has gained since.
            await git(workspace, 'fetch', '--quiet', ...shallow, 'origin', started);
            await git(workspace, 'checkout', '--quiet', '-B', branch, started);
          }
          await onCheckout?.(workspace, job);
          return {};
        },
        'actions/setup-node': () => ({}),
        'actions/configure-pages': () => (withoutPages ? null : { base_url: address }),
        'actions/upload-pages-artifact': (call) => {
          artifact = join(temporary, 'artifact');
          rmSync(artifact, { recursive: true, force: true });
          upload(call, artifact);
          return {};
        },
        'actions/deploy-pages': () => {
          rmSync(pages, { recursive: true });
          cpSync(artifact, pages, { recursive: true });
          return { page_url: address };
        },
        'actions/upload-artifact': (call) => {
          upload(call, preview);
          return {};
        },
      },
    });
  }

  return {
    remote,
    pages,
    address,
    runtime,
    keys: () => readFileSync(join(tools, 'keys'), 'utf8').trimEnd().split('\n'),
    preview,
    issues,
    play,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => program.close(() => resolve()));
      }),
  };
}

/** Copies what a step uploads. Both actions leave out hidden files and folders unless told otherwise. */
function upload({ workspace, with: inputs }: ActionCall, to: string): void {
  const from = join(workspace, inputs.path ?? '');
  const hidden = (path: string) => path !== from && basename(path).startsWith('.');
  const all = inputs['include-hidden-files'] === 'true';
  cpSync(from, to, { recursive: true, filter: (path) => all || !hidden(path) });
}

/** What stands for npm, npx, gh and ssh on the PATH: no network, and the compiled program with a shifted clock. */
function writeTools(tools: string): void {
  const script = (...lines: string[]) => `#!/bin/sh\n${lines.join('\n')}\n`;
  writeFiles(tools, {
    npm: script('case "$*" in "ci --ignore-scripts" | "run prepare --if-present") exit 0 ;; esac', 'exit 97'),
    npx: `#!/usr/bin/env bash
[ "$1 $2" = "--no catalog" ] || exit 98
shift 2
[ -n "$PROGRAM_PORT" ] || exec '${process.execPath}' --import '${shiftClock}' '${bin}' "$@"
exec 3<>"/dev/tcp/127.0.0.1/$PROGRAM_PORT"
{ printf '%s\\0' "$PWD" $# "$@"; env -0; printf '\\0'; } >&3
for field in code stdout stderr; do IFS= read -r -d '' $field <&3; done
printf %s "$stdout"
printf %s "$stderr" >&2
exit "$code"
`,
    gh: script('[ "$GH_TOKEN $*" = "token-of-the-job api repos/press/catalog --jq .fork" ] || exit 96', 'echo "$FORK"'),
  });
  for (const name of ['npm', 'npx', 'gh']) chmodSync(join(tools, name), 0o755);
  writeSsh(tools);
}

/**
 * Runs `catalog` in this process for the stand-in of npx. It sends its folder, its arguments with their count, and its
 * environment, each ended by a zero byte, and reads the exit code, stdout and stderr in the same form.
 */
function serveProgram(): Promise<Listener> {
  const answer = async (socket: Socket, request: string) => {
    const [cwd = '', count = '', ...rest] = request.split('\0');
    const args = rest.slice(0, Number(count));
    const lines = rest.slice(args.length).filter((line) => line !== '');
    const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]));
    const { code, stdout, stderr } = await atShiftedTime(Number(env.CLOCK_SHIFT), () => catalog(args, { cwd, env }));
    socket.end(`${code}\0${stdout}\0${stderr}\0`);
  };
  const server = listen((socket) => {
    let request = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      request += text;
      if (request.endsWith('\0\0')) answer(socket, request).catch((error) => socket.end(`99\0\0${error.stack}\0`));
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** As shift-clock.mjs does in a process of its own. */
async function atShiftedTime<Result>(shift: number, use: () => Promise<Result>): Promise<Result> {
  globalThis.Date = class extends RealDate {
    constructor(...args: [] | [number]) {
      super(...((args.length === 0 ? [RealDate.now() + shift] : args) as [number]));
    }
    static override now() {
      return RealDate.now() + shift;
    }
  } as DateConstructor;
  try {
    return await use();
  } finally {
    globalThis.Date = RealDate;
  }
}

/** Serves deployed files, and the part of GitHub's API that opens and lists issues. */
function serve(pages: string, issues: Forge['issues']): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const answer = (status: number, body: string | Buffer) => response.writeHead(status).end(body);
    if (pathname === '/api/repos/press/catalog/issues') {
      if (request.headers.authorization !== 'Bearer token-of-the-job') return void answer(401, '{}');
      if (request.method === 'GET') {
        const open = searchParams.get('page') === '1' && searchParams.get('state') === 'open' ? issues : [];
        return void answer(200, JSON.stringify(open));
      }
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        issues.push(JSON.parse(text));
        answer(201, JSON.stringify({ html_url: `https://github.example/press/catalog/issues/${issues.length}` }));
      });
      return;
    }
    try {
      answer(200, readFileSync(join(pages, pathname)));
    } catch {
      answer(404, 'not found');
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
