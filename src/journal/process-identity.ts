import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** What tells one process from all others, also after a restart, on another machine or with the same pid. */
export interface ProcessIdentity {
  host: string;
  /** Changes whenever the machine starts; empty where the system does not tell. */
  boot: string;
  /** Of process numbers: containers with one host name each count from 1. Empty where the system does not tell. */
  namespace: string;
  pid: number;
  /** When the process started, in the system's own measure. */
  started: string;
}

/** Gives the identity of this process. */
export async function thisProcess(): Promise<ProcessIdentity> {
  return {
    host: hostname(),
    boot: (await readText('/proc/sys/kernel/random/boot_id')).trim(),
    namespace: await readlink('/proc/self/ns/pid').catch(() => ''),
    pid: process.pid,
    // Without /proc: constant within a process and, being in microseconds, hardly that of another.
    started: (await procStat(process.pid))?.started ?? String(performance.timeOrigin),
  };
}

/**
 * Tells whether a process is running, as seen from `self`: 'unknown' where it is on another machine or in another
 * namespace of process numbers, was there before the last boot, or has its number while its start is not told.
 */
export async function lifeOf(other: ProcessIdentity, self: ProcessIdentity): Promise<'running' | 'gone' | 'unknown'> {
  if (other.host !== self.host || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown';
  if (other.pid === self.pid) return other.started === self.started ? 'running' : 'gone';
  if (!hasPid(other.pid)) return 'gone';
  const stat = await procStat(other.pid);
  if (stat === undefined) return 'unknown';
  // A zombie has ended, and only waits for its parent; in a container there may be none that cares.
  if (stat.state === 'Z' || stat.state === 'X') return 'gone';
  return stat.started === other.started ? 'running' : 'gone';
}

function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: there is one, of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Fields 3 and 22 of /proc/<pid>/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function procStat(pid: number): Promise<{ state: string; started: string } | undefined> {
  const text = await readText(`/proc/${pid}/stat`);
  // The name, field 2, stands in parentheses and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', started = ''] = [fields[0], fields[19]];
  return started === '' ? undefined : { state, started };
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
