import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Makes bundled code find its source folder, since it reads files next to itself. A text that names it stays as it is. */
const sourceAddress: Plugin = {
  name: 'source-address',
  setup({ initialOptions, onLoad, onResolve }) {
    // Its modules import JSON as only a bundler or tsx can.
    onResolve({ filter: /^@actions\// }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) }));
    initialOptions.define = { 'import.meta.url': 'sourceUrl', 'import.meta.dirname': 'sourceFolder' };
    onLoad({ filter: /\.m?ts$|\.mjs$/ }, ({ path }) => {
      const [url, folder] = [pathToFileURL(path).href, dirname(path)].map((value) => JSON.stringify(value));
      const contents = `const sourceUrl = ${url}, sourceFolder = ${folder}; ${readFileSync(path, 'utf8')}`;
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * Bundles test files, by name, with the code that they test and that runs them, into a folder. A process that imports a
 * bundle starts several times faster than one that compiles each module, and the processes of a run share the bundles.
 */
export async function bundleTests(entryPoints: Record<string, string>, outdir: string): Promise<void> {
  await build({
    entryPoints,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins: [sourceAddress],
  });
}
