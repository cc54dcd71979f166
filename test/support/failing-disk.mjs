/** Preloaded into a server: while the file FAILS exists, nothing can be changed in folders called `data`. The code is in it. */
import { existsSync, readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';

for (const name of ['open', 'mkdir', 'link', 'rename', 'unlink']) {
  const original = fs[name];
  fs[name] = async (path, ...rest) => {
    if (`${path}${sep}`.includes(`${sep}data${sep}`) && existsSync(process.env.FAILS)) {
      const code = readFileSync(process.env.FAILS, 'utf8');
      throw Object.assign(new Error(`${code}: made by a test, '${path}'`), { code });
    }
    return original(path, ...rest);
  };
}
syncBuiltinESMExports();
