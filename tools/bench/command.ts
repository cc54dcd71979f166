import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a process used. Without GNU time, only its time is known. */
export interface Usage {
  wallMs: number;
  /** User and system time, in steps of 10 ms. */
  cpuMs: number;
  peakMib: number;
}

/** GNU time, which other systems than Linux do not have. */
const hasTime = spawnSync('/usr/bin/time', ['--version'], { encoding: 'utf8' }).stdout?.includes('GNU') ?? false;

/** Runs a program and measures it. Throws an Error with what it printed if it fails. */
export function measure(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): Usage {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-time-'));
  try {
    const file = join(folder, 'usage');
    const timed = hasTime ? ['/usr/bin/time', '-o', file, '-f', '%U %S %M', program, ...args] : [program, ...args];
    const begun = performance.now();
    const { status, stdout, stderr } = spawnSync(timed[0] as string, timed.slice(1), {
      encoding: 'utf8',
      env: { ...process.env, ...env },
      ...(cwd === undefined ? {} : { cwd }),
      maxBuffer: 1 << 26,
    });
    const wallMs = performance.now() - begun;
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}${stdout}`);
    const [user = Number.NaN, system = Number.NaN, kib = Number.NaN] = hasTime
      ? readFileSync(file, 'utf8').split(' ').map(Number)
      : [];
    return { wallMs, cpuMs: (user + system) * 1000, peakMib: kib / 1024 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
