/**
 * Preloaded into a build: kills the process (SIGKILL) just before, or in the middle of, the Nth call that changes the
 * disk, N being KILL_AT. A write is cut in the middle: half of its bytes are written before the kill.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const killAt = Number(process.env.KILL_AT);
let calls = 0;

for (const name of ['mkdirSync', 'writeFileSync', 'linkSync', 'renameSync', 'rmSync', 'unlinkSync', 'rmdirSync']) {
  const original = fs[name];
  fs[name] = (...args) => {
    calls += 1;
    if (calls === killAt) {
      if (name === 'writeFileSync') original(args[0], args[1].subarray(0, args[1].length >> 1));
      process.kill(process.pid, 'SIGKILL');
    }
    return original(...args);
  };
}
syncBuiltinESMExports();
