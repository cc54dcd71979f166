/** Preloaded into a command: the disk is full when it writes a file whose name starts with DENY, dots left aside. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const original = fs.writeFileSync;
fs.writeFileSync = (path, ...rest) => {
  if (basename(String(path)).replace(/^\.+/, '').startsWith(process.env.DENY)) {
    throw Object.assign(new Error(`ENOSPC: no space left on device, '${path}'`), { code: 'ENOSPC' });
  }
  return original(path, ...rest);
};
syncBuiltinESMExports();
