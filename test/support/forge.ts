import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { bundled } from './catalog.ts';
import { type Discussion, newDiscussion, serveForge } from './forge-api.ts';
import { runHere, serveProgram, writeTools } from './forge-tools.ts';
import { git, identity } from './git.ts';
import { knownHost, privateKey } from './ssh.ts';
import { type Action, type ActionCall, playWorkflow, type Run, readWorkflow, type Step } from './workflow.ts';

/** An imitation of a place like GitHub: a bare repository, Pages, issues, and a host that is reached by ssh. */
export interface Forge {
  /** The bare repository. */
  remote: string;
  /** The site that readers see: the files that were deployed last. */
  pages: string;
  /** The address of those files. */
  address: string;
  /** The folder on the host of the server. */
  runtime: string;
  /** The files of private keys that ssh was called with. */
  keys(): string[];
  /** The previews that were uploaded, one folder each run. */
  preview: string;
  /** The titles and bodies of the issues that were opened. */
  issues: Discussion['issues'];
  /** The issues, pull requests and comments. */
  discussion: Discussion;
  /** Runs a workflow as on the given day. */
  play(file: string, options: PlayOptions): Promise<Run>;
  close(): Promise<void>;
}

export interface PlayOptions {
  /** YYYY-MM-DD. */
  today: string;
  /** The time of the day, in UTC; default: 12:00. */
  time?: string;
  /** Secrets and variables of the repository, besides the ones of the server's host. */
  secrets?: Record<string, string>;
  vars?: Record<string, string>;
  /** The event that started publish.yml; default: its schedule. */
  event?: 'schedule' | 'push' | 'workflow_dispatch';
  /** The GitHub issue that started intake.yml. */
  issue?: { number: number; title?: string; body: string; state?: 'open' | 'closed' };
  /** The branch that is checked out; default: main. */
  branch?: string;
  /** Called before each step that runs a command, with the folder of the job. */
  beforeStep?: (job: string, step: Step) => void | Promise<void>;
  /** Whether GitHub Pages is off, as in a new repository. */
  withoutPages?: boolean;
  /** Whether GitHub Pages deploys from a branch: `build_type` in GitHub's OpenAPI description. Default: from a workflow. */
  legacyPages?: boolean;
  /** Whether the repository is a fork. */
  fork?: boolean;
  /** Whether the repository is private. */
  private?: boolean;
  /**
   * Whether plain commands run in this process, as far as possible without bash, which takes a quarter of the time.
   * Default: true.
   */
  inProcess?: boolean;
  /** The folder with the workflow; default: the project's. */
  workflows?: string;
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
  const discussion = newDiscussion();
  const server = await serveForge(pages, discussion);
  const program = await serveProgram();
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const programPort = (program.address() as AddressInfo).port;
  return {
    remote,
    pages,
    address,
    runtime,
    keys: () => readFileSync(join(tools, 'keys'), 'utf8').trimEnd().split('\n'),
    preview,
    issues: discussion.issues,
    discussion,
    async play(file, options) {
      const started = (await git(remote, 'rev-parse', options.branch ?? 'main')).trim();
      const places = { remote, pages, address, temporary, preview };
      const contexts = contextsOf(file, runtime, options);
      writeFileSync(join(temporary, 'event.json'), JSON.stringify(contexts.github.event));
      return playWorkflow(readWorkflow(join(options.workflows ?? join(bundled, '.github/workflows'), file)), {
        temporary,
        contexts,
        env: {
          ...identity,
          PATH: `${tools}:${process.env.PATH}`,
          CLOCK_SHIFT: String(Date.parse(`${options.today}T${options.time ?? '12:00'}:00Z`) - Date.now()),
          GITHUB_API_URL: `${address}/api`,
          GITHUB_REPOSITORY: 'press/catalog',
          GITHUB_EVENT_PATH: join(temporary, 'event.json'),
          BUILD_TYPE: options.legacyPages ? 'legacy' : 'workflow',
          FORK: String(options.fork ?? false),
          PRIVATE: String(options.private ?? false),
          HOUR: (options.time ?? '12:00').slice(0, 2),
          PROGRAM_PORT: (options.inProcess ?? true) ? String(programPort) : '',
        },
        ...(options.beforeStep === undefined ? {} : { beforeStep: options.beforeStep }),
        ...((options.inProcess ?? true) ? { command: runHere } : {}),
        actions: actionsOf(places, started, options),
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => program.close(() => resolve()));
      }),
  };
}

/** The event that started a run, and the settings of the repository. */
function contextsOf(
  file: string,
  runtime: string,
  { event: started = 'schedule', branch = 'main', issue, secrets = {}, vars = {} }: PlayOptions,
) {
  const event = file === 'validate.yml' ? 'pull_request' : file === 'intake.yml' ? 'issues' : started;
  return {
    github: {
      event_name: event,
      // GitHub names no repository in the event of a scheduled run.
      event:
        event === 'schedule'
          ? { schedule: '23 * * * *' }
          : {
              repository: { default_branch: 'main' },
              ...(issue === undefined ? {} : { issue: { title: '', state: 'open', ...issue } }),
            },
      ref: `refs/heads/${branch}`,
      ref_name: branch,
      token: 'token-of-the-job',
    },
    vars: { RUNTIME_TARGET: `catalog@runtime.example:${runtime}`, ...vars },
    // A run for a pull request gets no secrets: it may come from a fork.
    secrets: file === 'validate.yml' ? {} : { RUNTIME_SSH_KEY: privateKey, RUNTIME_KNOWN_HOSTS: knownHost, ...secrets },
  };
}

/** The folder for the files of jobs. */
interface Temporary {
  temporary: string;
}

/** The actions that the workflows use, on the folders of a forge; `started` is the commit that started the run. */
function actionsOf(
  { remote, pages, address, preview, temporary }: Pick<Forge, 'remote' | 'pages' | 'address' | 'preview'> & Temporary,
  started: string,
  { branch = 'main', onCheckout, withoutPages = false }: PlayOptions,
): Record<string, Action> {
  let artifact = '';
  const named = ({ with: { name } }: ActionCall) =>
    name === 'preview' ? preview : join(temporary, `artifact-${name}`);
  return {
    'actions/checkout': async ({ workspace, with: { ref = '', 'fetch-depth': depth = '1' }, job }) => {
      const shallow = depth === '0' ? [] : ['--depth', depth];
      // Git only copies the files of a repository that has no scheme before its path.
      const address = depth === '0' ? remote : `file://${remote}`;
      await git(temporary, 'clone', '--quiet', ...shallow, '--branch', branch, address, workspace);
      if (ref !== '') {
        await git(workspace, 'fetch', '--quiet', ...shallow, 'origin', ref);
        await git(workspace, 'checkout', '--quiet', ref);
      } else if (readFileSync(join(workspace, '.git/refs/heads', branch), 'utf8').trim() !== started) {
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
      upload(call, named(call));
      return {};
    },
    'actions/download-artifact': (call) => {
      cpSync(named(call), resolve(call.workspace, call.with.path ?? ''), { recursive: true });
      return {};
    },
  };
}

/**
 * Copies what a step uploads over what an earlier run uploaded. Both actions leave out hidden files and folders unless told
 * otherwise.
 */
function upload({ workspace, with: inputs }: ActionCall, to: string): void {
  const from = resolve(workspace, inputs.path ?? '');
  const hidden = (path: string) => path !== from && basename(path).startsWith('.');
  const all = inputs['include-hidden-files'] === 'true';
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, filter: (path) => all || !hidden(path) });
}
