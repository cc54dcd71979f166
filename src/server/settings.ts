import { join, resolve } from 'node:path';
import { UsageError } from '../lib/errors.ts';
import { requireMailKey } from '../mail/consent.ts';
import { parseSmtpSettings } from '../mail/settings.ts';
import { parseSubscriberSettings } from '../mail/subscribers.ts';
import { databaseUrl } from '../storage/database.ts';
import { type ServerFlags, serverOptions } from './options.ts';

/**
 * Checks the settings. A flag wins over its variable, and an empty variable counts as none. Folders are relative to
 * `cwd`. Throws a UsageError that names the wrong flag or variable.
 */
export function serverSettings(flags: ServerFlags, environment: NodeJS.ProcessEnv, cwd: string) {
  const option = (key: keyof ServerFlags) => {
    const { flag, variable, fallback } = serverOptions[key];
    const value = flags[key];
    if (value === '') throw new UsageError(`${flag.split(' ')[0]} is empty; give a value, or leave it out.`);
    if (value !== undefined) return { name: flag.split(' ')[0] ?? flag, value: [value].flat().join(',') };
    return { name: variable, value: environment[variable] || fallback };
  };
  const number = (key: keyof ServerFlags, most: number, rule: string, least = 0) => {
    const { name, value } = option(key);
    if (!/^\d{1,5}$/.test(value) || Number(value) > most || Number(value) < least)
      throw new UsageError(`${name} is "${value}"; it has to be ${rule}.`);
    return Number(value);
  };
  const smtp = parseSmtpSettings(environment);
  const database = databaseUrl(environment);
  const mailKey = environment.CATALOG_MAIL_KEY;
  if (smtp !== null && database !== null) requireMailKey(environment);
  const data = resolve(cwd, option('data').value);
  return {
    /** 0 lets the system choose. */
    port: number('port', 65_535, 'a port from 0 to 65535 (0: any free one)'),
    host: option('host').value,
    /** The folder of the build. */
    dist: resolve(cwd, option('out').value),
    /** The folder with votes and subscribers. */
    data,
    /** The file of the vote log. Not used with a database. */
    votes: resolve(cwd, option('votes').value || join(data, 'votes.jsonl')),
    /** The connection URI of the database; null if everything is stored in files. It may contain a password. */
    database,
    /** How many connections to the database may be open at the same time. */
    databaseConnections: number('databaseConnections', 1_000, 'a number from 1 to 1000', 1),
    voteRate: rate(option('voteRate')),
    subscribeRate: rate(option('subscribeRate')),
    mcpRate: rate(option('mcpRate')),
    refusedRate: rate(option('refusedRate')),
    /** How shared limits work while the database is away: each server counts alone, or requests are refused. */
    limitFailure: limitFailure(option('limitFailure')),
    /** How many connections may be open at the same time, in total and from one client; 0: no limit. */
    maxConnections: number('maxConnections', 99_999, 'a number up to 99999 (0: no limit)'),
    maxClientConnections: number('maxClientConnections', 99_999, 'a number up to 99999 (0: no limit)'),
    /** How many proxies are in front of the server. */
    trustProxy: number('trustProxy', 100, 'the number of proxies, from 0 to 100'),
    /** Further origins whose pages may send votes and subscriptions. */
    allowOrigin: origins(option('allowOrigin')),
    subscribers: parseSubscriberSettings([flags.subscribers ?? []].flat()[0], environment),
    /** How emails are sent; null if none are. */
    smtp,
    /** The key that signs the links in emails; undefined if it is in a file. */
    mailKey,
    /** Where metrics are served; null if they are not. */
    metrics: metricsAddress(option('metrics')),
    /** How long to keep serving after the signal to stop, in seconds. */
    drain: number('drain', 300, 'a number of seconds up to 300'),
    /** A log level of pino. */
    logLevel: level(option('logLevel')),
  };
}

/** The settings of the server, from flags and environment variables. */
export type ServerSettings = ReturnType<typeof serverSettings>;

/** The value of an option, and the flag or variable that has it. */
type Input = Record<'name' | 'value', string>;

/** The longest window of a rate, in seconds. It ends with a timer, and Node's timers take up to 2^31 - 1 milliseconds. */
const longestWindow = 2_147_483;

/** At most `count` requests in `seconds`; null means no limit. */
export type Rate = { count: number; seconds: number } | null;

function rate({ name, value }: Input): Rate {
  if (value === 'off') return null;
  const match = /^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(value);
  if (match === null) {
    throw new UsageError(`${name} is "${value}"; it has to be <count>/<seconds>, such as 30/60, or off.`);
  }
  const [, count, seconds] = match;
  if (Number(seconds) > longestWindow) {
    throw new UsageError(`${name} is "${value}"; its window can be at most ${longestWindow} seconds (24 days).`);
  }
  return { count: Number(count), seconds: Number(seconds) };
}

function limitFailure({ name, value }: Input) {
  if (value === 'open' || value === 'closed') return value;
  throw new UsageError(`${name} is "${value}"; it has to be open or closed.`);
}

function metricsAddress({ name, value }: Input) {
  if (value === '') return null;
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(value) ?? [];
  const plain = host.replace(/^\[(.*)\]$/, '$1');
  if (port !== '' && Number(port) <= 65_535 && /^[\w.:-]+$/.test(plain)) return { host: plain, port: Number(port) };
  throw new UsageError(`${name} is "${value}"; it has to be <host>:<port>, such as 127.0.0.1:9464.`);
}

function origins({ name, value }: Input): string[] {
  const list = value.split(/[\s,]/).filter((origin) => origin !== '');
  for (const origin of list) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new UsageError(
        `${name} has "${origin}"; it has to be an origin such as https://example.com, without a path.`,
      );
    }
  }
  return list;
}

function level({ name, value }: Input): string {
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
  if (levels.includes(value)) return value;
  throw new UsageError(`${name} is "${value}"; it has to be one of ${levels.join(', ')}.`);
}
