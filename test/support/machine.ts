import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { bundled, inFolder, writeFiles } from './catalog.ts';
import { serveProgram, writeTools } from './forge-tools.ts';
import { freePort } from './free-port.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { type Finished, run } from './process.ts';

/**
 * A machine for the commands of docs/deploy.md: its /etc, /opt and /var are in a temporary folder, and small programs stand
 * for those that would change this computer or need the network. If root runs the tests, the user of the server is nobody,
 * so that missing permissions show.
 */
export interface Machine {
  root: string;
  /** Where the server listens. */
  address: string;
  mailbox: Mailbox;
  /** Runs commands of the page in a new shell, which ends at the first that fails. Fails with what they wrote. */
  shell(commands: string, options?: Place): Promise<string>;
  /** Runs the jobs of a crontab once, with its variables and no others except `more`. */
  cron(table: string, home: string, more?: NodeJS.ProcessEnv): Promise<void>;
}

interface Place {
  /** Below the root of the machine. */
  home?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

const nobody = 65_534;

/** The words that start a command as the user of the server; none if only this user can be had. */
const drop =
  process.getuid?.() === 0 &&
  spawnSync('test', ['-r', join(bundled, 'bin/catalog.js')], { uid: nobody, gid: nobody }).status === 0
    ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
    : [];

/** Runs `use` with a machine that has nothing but its programs and an empty repository at GitHub. */
export async function withMachine(use: (machine: Machine) => Promise<void>): Promise<void> {
  const port = await freePort();
  const mailbox = await startMailbox();
  await inFolder(async (root) => {
    const { TEST_FOLDER } = process.env;
    if (drop.length > 0) {
      if (TEST_FOLDER !== undefined) chmodSync(TEST_FOLDER, 0o711);
      chmodSync(root, 0o755);
    }
    const folders = ['/opt/', '/etc/', '/var/'];
    const replacements: Record<string, string> = {
      // A unit that the shell wrote has these already.
      ...Object.fromEntries(folders.map((path) => [`${root}${path}`, `${root}${path}`])),
      ...Object.fromEntries(folders.map((path) => [path, `${root}${path}`])),
      'HOME=/root': `HOME=${root}/root`,
      '/usr/bin/node': process.execPath,
      'PORT=3000': `PORT=${port}`,
      '127.0.0.1:3000': `127.0.0.1:${port}`,
      'https://agents.example.com': `http://127.0.0.1:${port}`,
      'smtps://user:password@mail.example.com': mailbox.url,
    };
    const escaped = Object.keys(replacements).map((from) => from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const pattern = escaped.join('|');
    const here = (text: string) => text.replace(new RegExp(pattern, 'g'), (found) => replacements[found] ?? '');
    // Commands of this user run in this process, which is faster.
    const program = await serveProgram();
    writeTools(join(root, 'forge'));
    const environment = {
      CLOCK_SHIFT: '0',
      PROGRAM_PORT: String((program.address() as AddressInfo).port),
      GIT_CONFIG_SYSTEM: join(root, 'etc/gitconfig'),
    };
    for (const folder of ['etc/systemd/system', 'opt', 'var/lib', 'root', 'home'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFiles(root, {
      'etc/passwd': '',
      'etc/gitconfig': '',
      'root/.gitconfig': gitSettings(root),
      'home/.gitconfig': gitSettings(root),
    });
    writeFileSync(join(root, 'machine.json'), JSON.stringify({ root, pattern, replacements, drop, environment }));
    const programs = join(root, 'bin');
    writeFiles(programs, standIns(root));
    for (const name of readdirSync(programs)) chmodSync(join(programs, name), 0o755);
    for (const name of ['REPOSITORY', 'RESTORED'])
      await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(root, `github/OWNER/${name}.git`)]);

    const shell = async (commands: string, { home = 'root', cwd = home, env: more }: Place = {}): Promise<string> => {
      const env = { ...environment, HOME: join(root, home), PATH: `${programs}:${process.env.PATH}`, ...more };
      const done: Finished = await run('sh', ['-ec', here(commands)], { cwd: join(root, cwd), env });
      assert.is(done.code, 0, `${commands}\n${done.shown}`);
      return done.shown;
    };
    const machine: Machine = {
      root,
      address: `http://127.0.0.1:${port}/`,
      mailbox,
      shell,
      async cron(table, home, more = {}) {
        const lines = table.trim().split('\n');
        const variables = lines.flatMap((line) =>
          [...line.matchAll(/^(\w+)=(.*)$/g)].map(([, key, value]) => [key, here(value ?? '')]),
        );
        const { PATH, ...rest } = Object.fromEntries(variables);
        // Cron gives a job little else; the programs of this machine are in its PATH too.
        const env = { ...environment, HOME: join(root, home), SHELL: '/bin/sh', ...rest, ...more };
        const own = {
          ...env,
          PATH: `${programs}:${PATH ?? '/usr/bin:/bin'}`,
          CATALOG_CACHE: undefined,
          NODE_ENV: undefined,
        };
        for (const line of lines) {
          const [, job] = /^\d+ \* \* \* \* (.+)$/.exec(line) ?? [];
          if (job === undefined) continue;
          const done = await run('/bin/sh', ['-c', job], { cwd: join(root, home), env: own });
          assert.is(done.code, 0, `${job}\n${done.shown}`);
        }
      },
    };
    try {
      await use(machine);
    } finally {
      if (existsSync(join(root, 'run'))) await shell('systemctl stop catalog');
      await mailbox.close();
      program.close();
    }
  });
}

/** The repositories at GitHub are folders of the machine, and the person who commits has a name. */
function gitSettings(root: string): string {
  return `[user]\n\tname = Ada\n\temail = ada@press.example\n[safe]\n\tbareRepository = all\n[url "${root}/github/"]
\tinsteadOf = https://github.com/\n\tinsteadOf = git@github.com:\n`;
}

/** Writes a copy of every unit, as it is on the machine, and returns what systemd-analyze finds; null if it is not there. */
export async function verifiedUnits(folder: string): Promise<string | null> {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return null;
  const units = readdirSync(join(bundled, 'deploy')).filter((name) => /\.(?:service|timer)$/.test(name));
  for (const name of units) {
    cpSync(join(bundled, 'deploy', name), join(folder, name));
    const text = readFileSync(join(folder, name), 'utf8').replaceAll('/usr/bin/node', process.execPath);
    writeFileSync(join(folder, name), text);
  }
  const { shown, code } = await run('systemd-analyze', ['verify', ...units.map((name) => join(folder, name))]);
  return code === 0 ? shown : `${shown}\nexit code ${code}`;
}

function standIns(root: string): Record<string, string> {
  const passwd = join(root, 'etc/passwd');
  const script = (text: string) => `#!/bin/sh\n${text}`;
  const withoutStandIns = `PATH='${process.env.PATH}'`;
  return {
    'apt-get': script(
      `[ "$1 $2" = 'install --yes' ] || exit 100\nmkdir -p ${root}/etc/caddy ${root}/etc/logrotate.d\n`,
    ),
    useradd: script(`home='' shell=''
while [ $# -gt 1 ]; do
  case $1 in --system) ;; --home-dir) home=$2; shift ;; --shell) shell=$2; shift ;; *) exit 2 ;; esac
  shift
done
if grep -q "^$1:" ${passwd}; then echo "useradd: user '$1' already exists" >&2; exit 9; fi
echo "$1:$home:$shell" >> ${passwd}
`),
    // Keeps the environment, except for the home folder.
    runuser: script(`[ "$1 $3" = '-u --' ] || exit 1
entry=$(grep "^$2:" ${passwd}) || { echo "runuser: user $2 does not exist" >&2; exit 1; }
entry=\${entry#*:} HOME=\${entry%%:*} USER=$2 LOGNAME=$2
export HOME USER LOGNAME
unset TMPDIR ${drop.length > 0 ? 'PROGRAM_PORT' : ''}
shift 3
exec ${drop.join(' ')} "$@"
`),
    install: script(`count=$#
while [ $count -gt 0 ]; do
  word=$1
  shift
  count=$((count - 1))
  case $word in
    -o | -g)
      grep -q "^$1:" ${passwd} || { echo "install: invalid user '$1'" >&2; exit 1; }
      ${drop.length > 0 ? `set -- "$@" $word ${nobody}; owner=$((\${owner:-0} + 2))` : ':'}
      shift
      count=$((count - 1)) ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec env ${withoutStandIns} install "$@"
`),
    // What npm does with the package that the catalog depends on.
    npm: script(`[ "$1" = ci ] || exit 1
[ -f package-lock.json ] || { echo 'npm error The npm ci command can only install with an existing package-lock.json' >&2; exit 1; }
rm -rf node_modules
mkdir -p node_modules/.bin
ln -s ${bundled.replace(/\/$/, '')} node_modules/daily-agent-catalog
ln -s ../daily-agent-catalog/bin/catalog.js node_modules/.bin/daily-agent-catalog
`),
    npx: script(`[ "$1 $2" = '--no daily-agent-catalog' ] || { echo "npx $*: not safe" >&2; exit 1; }
shift 2
folder=$PWD
until [ -e "$folder/node_modules/.bin/daily-agent-catalog" ]; do
  [ "$folder" != / ] || { echo 'npm error npx canceled due to missing packages' >&2; exit 1; }
  folder=$(dirname "$folder")
done
[ -z "$PROGRAM_PORT" ] || exec ${root}/forge/npx --no daily-agent-catalog "$@"
exec ${process.execPath} "$folder/node_modules/.bin/daily-agent-catalog" "$@"
`),
    systemctl: script(
      `exec ${process.execPath} ${fileURLToPath(new URL('systemctl.mjs', import.meta.url))} ${root}/machine.json "$@"\n`,
    ),
    'ssh-keyscan': script(`echo "$1 ssh-ed25519 AAAA"\n`),
    scp: script(`cp "$1" "${root}/root/\${2#root@server.example.com:}"\n`),
    // Accepts keys of authorized_keys only, as OpenSSH does, and runs the command as the user of that name.
    ssh: script(`key='' known=/dev/null port=''
while getopts i:o:p: option; do
  case "$option $OPTARG" in
    'i '*) key=$OPTARG ;;
    'o UserKnownHostsFile='*) known=\${OPTARG#*=} ;;
  esac
done
shift $((OPTIND - 1))
user=\${1%@*} host=\${1#*@}
if [ "$user" = catalog ]; then
  folder=${root}/var/lib/catalog/.ssh
  grep -qxF "$host ssh-ed25519 AAAA" "$known" || { echo 'Host key verification failed.' >&2; exit 255; }
  public=$(ssh-keygen -y -f "$key" | cut -d ' ' -f 1,2)
  grep -qF "$public" $folder/authorized_keys || { echo 'Permission denied (publickey).' >&2; exit 255; }
  [ "$(stat -c %a $folder $folder/authorized_keys | paste -sd ' ' -)" = '700 600' ] || { echo 'bad ownership or modes' >&2; exit 255; }
fi
exec runuser -u "$user" -- sh -c "$2"
`),
  };
}
