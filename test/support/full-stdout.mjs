/** Preloaded into a server: stdout is a file on a full disk. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const { write, writeSync } = fs;
fs.write = (file, ...rest) => (file === 1 ? setImmediate(rest.at(-1), full()) : write(file, ...rest));
fs.writeSync = (file, ...rest) => {
  if (file === 1) throw full();
  return writeSync(file, ...rest);
};
syncBuiltinESMExports();
