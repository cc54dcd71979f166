import type { BuildOptions } from 'esbuild';

const common: BuildOptions = { bundle: true, minify: true, format: 'esm', target: 'es2022', logLevel: 'warning' };

/** How the scripts of the pages, and the scripts of `catalog dev`, are bundled. */
export const browserBundles: readonly BuildOptions[] = [
  { ...common, entryPoints: ['src/browser/site.ts', 'src/browser/search.ts'], outdir: 'lib/browser' },
  { ...common, entryPoints: ['src/browser/dev.ts', 'src/browser/dev.css'], outdir: 'lib/dev' },
];
