/**
 * Replaces systemctl on a machine of machine.ts: reads units as systemd.service(5) says, and runs their commands with their
 * environment, folder and user. It knows only what the units of deploy/ need, and fails for anything else.
 *
 * Arguments: the JSON file that describes the machine, then the arguments of systemctl.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';

const [, , description, ...given] = process.argv;
const { root, pattern, replacements, drop, environment } = JSON.parse(fs.readFileSync(description, 'utf8'));
const installed = join(root, 'etc/systemd/system');
const state = join(root, 'run');
const known = new Set(
  `Description After Wants Requisite StartLimitIntervalSec Type User Group WorkingDirectory Environment EnvironmentFile
  ExecStartPre ExecStart ExecStartPost ExecReload Restart RestartSec RestartPreventExitStatus TimeoutStopSec
  StateDirectory StateDirectoryMode CacheDirectory UMask WantedBy OnCalendar Persistent`.split(/\s+/),
);
/** Settings that restrict a unit. systemd-analyze checks them. */
const restricts = /^(?:Protect|Private|Restrict|SystemCall|Capability|Lock|NoNew|Remove)\w+$/;

function fail(message, code = 1) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

/** A text of the machine with the paths, ports and programs that it has here. */
const here = (text) => text.replace(new RegExp(pattern, 'g'), (found) => replacements[found]);

/** Splits a line into words, as systemd does with quotes; `variables` are replaced outside of single words. */
function words(line) {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain);
}

/** The settings of a unit, with its drop-in files, each with all of its values. */
function read(name, folder = join(state, 'loaded')) {
  const file = join(folder, name);
  if (!fs.existsSync(file)) fail(`Unit ${name} not found.`, 5);
  const dropIns = `${file}.d`;
  const files = [file, ...(fs.existsSync(dropIns) ? fs.readdirSync(dropIns).map((each) => join(dropIns, each)) : [])];
  const settings = {};
  for (const line of files.flatMap((path) => fs.readFileSync(path, 'utf8').split('\n'))) {
    if (/^\s*(?:[#;[]|$)/.test(line)) continue;
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? fail(`${name}: ${line}`);
    if (!known.has(key) && !restricts.test(key)) fail(`${name}: this systemctl does not know ${key}`);
    settings[key] = [...(settings[key] ?? []), here(value)];
  }
  return settings;
}

/** Everything in a folder of units, to notice changes that systemd was not told of. */
const contents = (folder) =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\0');

function homeOf(user) {
  const line = fs.readFileSync(join(root, 'etc/passwd'), 'utf8').match(new RegExp(`^${user}:(.*):`, 'm'));
  return line?.[1] ?? fail(`Failed to determine user credentials: ${user}`, 217);
}

/** The environment that systemd gives to a unit: none of the person who starts it. */
function environmentOf({ User: [user] = [], Environment = [], EnvironmentFile = [] }) {
  const all = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...environment };
  if (user !== undefined) Object.assign(all, { USER: user, LOGNAME: user, HOME: homeOf(user) });
  for (const pair of Environment.flatMap(words)) all[pair.split('=', 1)[0]] = pair.slice(pair.indexOf('=') + 1);
  for (const value of EnvironmentFile) {
    const file = value.replace(/^-/, '');
    if (value.startsWith('-') && !fs.existsSync(file)) continue;
    for (const [, key, , text] of fs.readFileSync(file, 'utf8').matchAll(/^(\w+)=(["']?)(.*)\2$/gm)) all[key] = text;
  }
  return all;
}

function command(line, settings, variables = {}) {
  const [, prefix, rest] = /^([-+]*)(.*)$/.exec(line);
  const args = words(rest).map((word) =>
    word.replaceAll('%%', '%').replace(/\$(\$|\w+)/g, (_, name) => (name === '$' ? '$' : (variables[name] ?? ''))),
  );
  const drops = settings.User !== undefined && !prefix.includes('+');
  const [program, ...others] = drops ? [...drop, ...args] : args;
  const options = { cwd: settings.WorkingDirectory?.[0] ?? '/', env: environmentOf(settings) };
  return { program, others, options, ignored: prefix.includes('-') };
}

function runAll(lines = [], settings, name, variables = {}) {
  for (const line of lines) {
    const { program, others, options, ignored } = command(line, settings, variables);
    const { status, stdout, stderr, error } = spawnSync(program, others, { ...options, encoding: 'utf8' });
    fs.appendFileSync(join(state, `${name}.log`), `${stdout}${stderr}`);
    if (!ignored && status !== 0)
      fail(`Job for ${name} failed: ${line} ended with ${status}. ${error?.message ?? ''}${stdout}${stderr}`);
  }
}

const pidFile = (name) => join(state, `${name}.pid`);

function pidOf(name) {
  if (!fs.existsSync(pidFile(name))) return null;
  const pid = Number(fs.readFileSync(pidFile(name), 'utf8'));
  try {
    return /\) [XZ] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ? null : pid;
  } catch {
    return null;
  }
}

function folders({ StateDirectory = [], StateDirectoryMode: [mode = '0755'] = [], CacheDirectory = [] }) {
  const made = [...StateDirectory.map((name) => ['lib', name]), ...CacheDirectory.map((name) => ['cache', name])];
  for (const [kind, name] of made) {
    const path = join(root, 'var', kind, name);
    fs.mkdirSync(path, { recursive: true });
    fs.chmodSync(path, Number.parseInt(mode, 8));
    if (drop.length > 0) fs.chownSync(path, 65_534, 65_534);
  }
}

function start(name) {
  if (!fs.existsSync(join(state, 'loaded')) || contents(installed) !== contents(join(state, 'loaded')))
    fail(`${name}: units changed on disk. Run 'systemctl daemon-reload'.`);
  const settings = read(name);
  if (name.endsWith('.timer')) {
    if (settings.OnCalendar === undefined) fail(`${name} has no time`);
    return void read(name.replace('.timer', '.service'));
  }
  for (const other of settings.Requisite ?? [])
    if (pidOf(other) === null) fail(`Dependency failed for ${name}: ${other}`);
  if (pidOf(name) !== null) return;
  folders(settings);
  if (settings.UMask !== undefined) process.umask(Number.parseInt(settings.UMask[0], 8));
  runAll(settings.ExecStartPre, settings, name);
  if (settings.Type?.[0] === 'oneshot') {
    runAll(settings.ExecStart, settings, name);
    runAll(settings.ExecStartPost, settings, name);
    return;
  }
  const { program, others, options } = command(settings.ExecStart[0], settings);
  const log = fs.openSync(join(state, `${name}.log`), 'a');
  const child = spawn(program, others, { ...options, detached: true, stdio: ['ignore', log, log] });
  fs.writeFileSync(pidFile(name), String(child.pid));
  child.unref();
}

function stop(name) {
  const pid = pidOf(name);
  if (pid === null) return;
  process.kill(pid, 'SIGTERM');
  const wait = new Int32Array(new SharedArrayBuffer(4));
  for (let left = 400; pidOf(name) !== null; left -= 1) {
    if (left === 0) fail(`${name} does not end`);
    Atomics.wait(wait, 0, 0, 50);
  }
}

const verbs = {
  enable(name) {
    if (read(name).WantedBy === undefined) fail(`${name} has no [Install] section`);
  },
  start,
  stop,
  restart(name) {
    stop(name);
    start(name);
  },
  reload(name) {
    if (name === 'caddy.service') {
      const [, proxied] =
        /^agents\.example\.com \{\s+reverse_proxy (\S+) \{/m.exec(
          fs.readFileSync(join(root, 'etc/caddy/Caddyfile'), 'utf8'),
        ) ?? fail('Caddy has no proxy for the site');
      if (proxied !== replacements['127.0.0.1:3000']) fail(`Caddy does not find the server at ${proxied}`);
      return;
    }
    const settings = read(name);
    runAll(settings.ExecReload, { ...settings, User: undefined }, name, { MAINPID: pidOf(name) });
  },
};

fs.mkdirSync(state, { recursive: true });
const [verb, ...rest] = given.filter((word) => word !== '--now');
if (verb === 'daemon-reload') {
  fs.rmSync(join(state, 'loaded'), { recursive: true, force: true });
  fs.cpSync(installed, join(state, 'loaded'), { recursive: true });
} else {
  if (verbs[verb] === undefined || rest.length === 0) fail(`systemctl: ${given.join(' ')}`);
  for (const unit of rest) {
    const name = /\.\w+$/.test(unit) ? unit : `${unit}.service`;
    verbs[verb](name);
    if (verb === 'enable' && given.includes('--now')) start(name);
  }
}
