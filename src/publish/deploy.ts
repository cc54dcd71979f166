import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { startChild } from '../lib/children.ts';
import { OperationError, UsageError } from '../lib/errors.ts';
import { plural } from '../lib/text.ts';
import { type BuildInfo, buildInfo } from '../schema/documents.ts';
import { fetchJson } from '../site/live-site.ts';

/** How many builds stay on the target: the one that is served, and earlier ones to go back to. */
const buildsKept = 3;

/** The name of the link on the target that the server follows. */
const linkName = 'dist';

/**
 * The script that installs a build on the target. It unpacks stdin into builds/<id>, switches the link by a rename, and
 * removes all but the last builds. It runs in any POSIX shell with tar and the mv of GNU or busybox.
 *
 * The link always leads to a complete build, the old or the new one. An interrupted transfer changes nothing. A build that is
 * there already is used again, unless files are missing since its removal was interrupted. Web servers that run as another
 * user can read the build, no matter who made it.
 */
function remoteScript({ folder, id, files }: { folder: string; id: string; files: number }): string {
  return `set -eu
umask 022
mkdir -p ${quoted(`${folder}/builds`)}
cd ${quoted(folder)}
if [ -e ${linkName} ] && [ ! -L ${linkName} ]; then
  echo "${linkName} is not a symlink. Move it away, so that the server can switch builds" >&2
  exit 1
fi
staging=$(mktemp -d builds/.incoming-XXXXXXXX)
trap 'rm -rf "$staging" "$staging.old" ".${linkName}-$$"' EXIT
trap 'exit 1' HUP INT TERM
tar -xf - -C "$staging"
files_in() { find "$1" -type f | wc -l; }
count=$(files_in "$staging")
if [ "$count" -lt ${files} ]; then
  echo "only $count of ${files} files arrived" >&2
  exit 1
fi
chmod -R u=rwX,go=rX "$staging"
if [ -d builds/${id} ] && [ "$(files_in builds/${id})" -lt ${files} ]; then mv -T builds/${id} "$staging.old"; fi
if [ ! -d builds/${id} ]; then mv -T "$staging" builds/${id}; fi
touch builds/${id}
ln -s builds/${id} ".${linkName}-$$"
mv -Tf ".${linkName}-$$" ${linkName}
served=$(readlink ${linkName})
find builds -maxdepth 1 -name '.incoming-*' -mmin +60 -exec rm -rf {} +
ls -1t builds | tail -n +${buildsKept + 1} | while read -r old; do
  if [ "builds/$old" != "$served" ]; then rm -rf "builds/$old"; fi
done
`;
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Where a build is deployed: a folder on a host that ssh reaches. */
interface Target {
  /** `host` or `user@host`, as ssh expects it. */
  host: string;
  /** The port; null to let ssh choose. */
  port: string | null;
  /** Absolute. */
  folder: string;
}

/**
 * Parses `user@host:/folder` or `ssh://user@host:port/folder`, the forms of git and rsync.
 *
 * Throws UsageError for any other form, and for a host with a leading hyphen, which ssh would read as an option.
 */
export function parseTarget(text: string): Target {
  const match =
    /^ssh:\/\/(?<host>(?:[\w.-]+@)?[\w.-]+|(?:[\w.-]+@)?\[[\da-f:]+\])(?::(?<port>\d+))?(?<folder>\/[^\0\n]+)$/i.exec(
      text,
    ) ?? /^(?<host>(?:[\w.-]+@)?[\w.-]+):(?<folder>\/(?!\/)[^\0\n]+)$/.exec(text);
  const { host, port, folder } = match?.groups ?? {};
  if (host === undefined || folder === undefined || host.startsWith('-')) {
    throw new UsageError(
      `The target is ${JSON.stringify(text)}; it has to be user@host:/folder, or ssh://user@host:port/folder.`,
    );
  }
  return { host: host.replace(/[[\]]/g, ''), port: port ?? null, folder: folder.replace(/(?<=.)\/+$/, '') };
}

interface Deployment {
  /** The folder of the build. */
  dist: string;
  build: Pick<BuildInfo, 'id' | 'counts' | 'preview'>;
  target: Target;
  /** A command to run instead of ssh and its host, with the script as its last argument. */
  ssh: string | null;
  /** A private key; null to let ssh choose. */
  key: string | null;
  /** The lines of known_hosts for the host; required with a key. */
  knownHosts: string | null;
}

/**
 * Sends a build to the host of a server, as one tar over one ssh connection. `remoteScript` unpacks it.
 *
 * Throws OperationError for a preview, and with the message of ssh or the script; the host then still serves the previous
 * build. Throws UsageError for a key without known hosts, since unknown hosts are never trusted.
 */
export async function deploy({ dist, build, target, ssh, key, knownHosts }: Deployment): Promise<void> {
  if (build.preview) {
    throw new OperationError(
      `${dist} has a preview, which may show drafts and agents that are not due yet: run npx --no daily-agent-catalog build without --future and --drafts, and deploy that build.`,
    );
  }
  const script = remoteScript({ folder: target.folder, id: build.id, files: build.counts.files });
  const secrets = key === null ? null : writeSecrets(key, knownHosts);
  try {
    const [command = '', ...args] = ssh === null ? sshCommand(target, secrets) : ssh.split(' ');
    await send(dist, [command, ...args, script], { target, secrets });
  } finally {
    if (secrets !== null) rmSync(secrets, { recursive: true, force: true });
  }
}

/** Writes the key and the known hosts to a folder that only this user can read, and returns the folder. */
function writeSecrets(key: string, knownHosts: string | null): string {
  if (knownHosts === null) {
    throw new UsageError(
      'RUNTIME_SSH_KEY is set, but RUNTIME_KNOWN_HOSTS is not. Run ssh-keyscan for the host, check the lines that it prints, and set RUNTIME_KNOWN_HOSTS to them.',
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'catalog-deploy-'));
  writeFileSync(join(folder, 'key'), `${key.replace(/\r/g, '').trimEnd()}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'known_hosts'), `${knownHosts.trimEnd()}\n`, { mode: 0o600 });
  return folder;
}

function sshCommand({ host, port }: Target, secrets: string | null): string[] {
  const identity =
    secrets === null
      ? []
      : [
          ...['-i', join(secrets, 'key'), '-o', 'IdentitiesOnly=yes'],
          ...['-o', `UserKnownHostsFile=${join(secrets, 'known_hosts')}`, '-o', 'StrictHostKeyChecking=yes'],
        ];
  return [
    'ssh',
    ...identity,
    ...['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=20', '-o', 'ServerAliveInterval=15'],
    ...(port === null ? [] : ['-p', port]),
    host,
  ];
}

/** Errors that end a deployment, usually the first one, and how to fix them. */
const fixes: [said: RegExp, fix: (target: Target) => string][] = [
  [
    /Host key verification failed|REMOTE HOST IDENTIFICATION/,
    ({ host, port }) =>
      `Run ssh-keyscan -p ${port ?? 22} ${host.replace(/^.*@/, '')}, compare the lines with the keys on the host, and put them into RUNTIME_KNOWN_HOSTS or your known_hosts.`,
  ],
  [
    /Permission denied \(/,
    ({ host }) =>
      `Add your public key, or the public half of the key in RUNTIME_SSH_KEY, to ~/.ssh/authorized_keys of ${host} on that machine.`,
  ],
  [/Could not resolve|Connection (?:timed out|refused)/, () => 'Check the host, its port and its firewall.'],
  [
    /mkdir: |cd: |mktemp: /,
    ({ host, folder }) =>
      `Create the folder on the host, as root: install -d -o ${/^(.*)@/.exec(host)?.[1] ?? 'USER'} ${quoted(folder)}`,
  ],
  [/\btar: (?:command )?not found/, () => 'Install tar on the host.'],
  [/^mv: .*option/m, () => 'Install coreutils or BusyBox on the host: its mv has no option -T.'],
  [/No space left/, () => 'Free some space on the host.'],
];

async function send(
  dist: string,
  [command = '', ...args]: readonly string[],
  { target, secrets }: { target: Target; secrets: string | null },
): Promise<void> {
  const tar = startChild('tar', ['-C', dist, '-cf', '-', '--', ...readdirSync(dist)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const remote = startChild(command, args, { stdio: ['pipe', 'ignore', 'pipe'], temporary: secrets });
  const [packing, receiving] = await Promise.all([
    outcomeOf('tar', tar),
    outcomeOf(command, remote),
    // A remote that ends early says why on stderr. The broken pipe is only a consequence.
    pipeline(tar.stdout as Readable, remote.stdin as Writable).catch(() => {}),
  ]);
  const missing = [packing, receiving].find(({ code }) => code === null);
  if (missing !== undefined)
    throw new OperationError(`${missing.output}. Install it on this machine. Nothing was sent.`);
  if (receiving.code !== 0) {
    const fix = fixes.find(([said]) => said.test(receiving.output))?.[1](target);
    throw new OperationError(
      `The host did not accept the build: ${receiving.output}. It serves what it served before.${fix === undefined ? '' : `\n${fix}`}`,
    );
  }
  if (packing.code !== 0) throw new OperationError(`The build could not be packed: ${packing.output}.`);
}

/** How a process ended. The code is null if it did not start, and 1 after a signal, such as that for a broken pipe. */
function outcomeOf(name: string, child: ChildProcess): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', (error) => resolve({ code: null, output: `${name} cannot be run (${error.message})` }));
    child.on('close', (code, signal) => {
      // The messages that quote it end the sentence themselves.
      const lastLines = stderr.trim().split(/\r?\n/).slice(-5).join(' / ').replace(/\.+$/, '');
      const output = lastLines || `${name} ended with ${signal ?? `code ${code}`}`;
      resolve({ code: code ?? 1, output });
    });
  });
}

const buildShape = buildInfo.pick({ id: true, counts: true, preview: true }).partial({ preview: true });
const skillsShape = z.object({ skills: z.array(z.object({ url: z.string() })) });

/**
 * Requests build.json and the index of skills from `baseUrl`. The index is missing on a host that drops hidden folders.
 * `id` is null if the address has no build. Each problem is a sentence.
 *
 * Throws OperationError if the address does not answer.
 */
export async function readLiveSite(baseUrl: string): Promise<{ id: string | null; problems: string[] }> {
  const build = await fetchJson(`${baseUrl}/build.json`, buildShape);
  if ('problem' in build) return { id: null, problems: [build.problem] };
  const { id, counts, preview = false } = build.value;
  const index = await fetchJson(`${baseUrl}/.well-known/agent-skills/index.json`, skillsShape);
  if ('problem' in index) return { id, problems: [index.problem] };
  const skills = index.value.skills.length;
  return {
    id,
    problems: [
      ...(preview ? [`${baseUrl} serves a preview, which may show drafts and agents that are not due yet.`] : []),
      ...(skills === counts.agents
        ? []
        : [`The skills index has ${plural(skills, 'skill')}, but the build has ${plural(counts.agents, 'agent')}.`]),
    ],
  };
}
