/**
 * Preloaded into a command: the disk is full when it writes a file whose name starts with DENY, dots left aside. As on a real
 * one, the file exists by then.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const original = fs.writeFileSync;
fs.writeFileSync = (path, ...rest) => {
  if (basename(String(path)).replace(/^\.+/, '').startsWith(process.env.DENY)) {
    original(path, '', ...rest.slice(1));
    throw Object.assign(new Error(`ENOSPC: no space left on device, '${path}'`), { code: 'ENOSPC' });
  }
  return original(path, ...rest);
};
syncBuiltinESMExports();
