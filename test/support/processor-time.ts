import { readdirSync, readFileSync } from 'node:fs';

/**
 * The processor time in seconds of this process and, on Linux, of its children: those that ended, with their own, and those
 * that are running (proc(5), in clock ticks, of which Linux counts 100 a second).
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  if (process.platform !== 'linux') return (user + system) / 1e6;
  const children = readdirSync('/proc/self/task').flatMap((thread) => childrenOf(thread));
  const [, , ...ended] = times('self');
  const ticks = [...ended, ...children.flatMap(times)].reduce((sum, time) => sum + time, 0);
  return (user + system) / 1e6 + ticks / 100;
}

/** Four numbers of a process: the time of its code, and of the system for it, then both of its children that ended. */
function times(pid: string): number[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number);
  } catch {
    return [];
  }
}

/** The processes that a thread started; none if the thread has ended since it was listed. */
function childrenOf(thread: string): string[] {
  try {
    return readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}
