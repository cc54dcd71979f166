/** Preloaded into a command: the file or folder whose path ends with DENY cannot be read, even by root. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

for (const name of ['readdirSync', 'readFileSync']) {
  const original = fs[name];
  fs[name] = (path, ...rest) => {
    if (String(path).endsWith(process.env.DENY)) {
      throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: 'EACCES' });
    }
    return original(path, ...rest);
  };
}
syncBuiltinESMExports();
