import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/**
 * Bundles a module like the program, so that a process that imports it starts as fast, and returns the path of the bundle.
 *
 * It is beside lib/, where the program finds its files as from lib/, and no package contains it.
 */
export function bundleModule(entry: URL): string {
  const name = basename(entry.pathname).replace(/\.\w+$/, '.js');
  const outfile = fileURLToPath(new URL(`../.bundles/${name}`, import.meta.url));
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external' } as const;
  buildSync({ entryPoints: [fileURLToPath(entry)], outfile, ...options });
  return outfile;
}
