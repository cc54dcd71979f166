import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { hasCode } from './disk.ts';

/** Identifies a process among all others, even after a restart, on another machine, or with the same pid. */
export interface ProcessIdentity {
  host: string;
  /** Changes whenever the machine starts; empty if unknown. */
  boot: string;
  /** The namespace of pids: containers may share a host name, and each counts from 1. Empty if unknown. */
  namespace: string;
  pid: number;
  /** When the process started, in a unit of the system. */
  started: string;
}

/** Returns the identity of this process. */
export async function thisProcess(): Promise<ProcessIdentity> {
  return {
    host: hostname(),
    boot: (await readText('/proc/sys/kernel/random/boot_id')).trim(),
    namespace: await readlink('/proc/self/ns/pid').catch(() => ''),
    pid: process.pid,
    // Without /proc: constant within a process and, in microseconds, hardly ever the same as another's.
    started: (await procStat(process.pid))?.started ?? String(performance.timeOrigin),
  };
}

/**
 * Tells whether a process is running, as seen from `self`. 'unknown' if it is on another machine or in another pid
 * namespace, started before the last boot, or if a process has its pid but no known start.
 */
export async function lifeOf(other: ProcessIdentity, self: ProcessIdentity): Promise<'running' | 'gone' | 'unknown'> {
  if (other.host !== self.host || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown';
  if (other.pid === self.pid) return other.started === self.started ? 'running' : 'gone';
  if (!hasPid(other.pid)) return 'gone';
  const stat = await procStat(other.pid);
  if (stat === undefined) return 'unknown';
  // A zombie has ended and waits for its parent, which in a container may never collect it.
  if (stat.state === 'Z' || stat.state === 'X') return 'gone';
  return stat.started === other.started ? 'running' : 'gone';
}

function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return !hasCode(error, 'ESRCH');
  }
}

/** Fields 3 and 22 of /proc/<pid>/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function procStat(pid: number): Promise<{ state: string; started: string } | undefined> {
  const text = await readText(`/proc/${pid}/stat`);
  // The name, field 2, is in parentheses and may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', started = ''] = [fields[0], fields[19]];
  return started === '' ? undefined : { state, started };
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
