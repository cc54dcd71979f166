/** `npm run dev`: runs `catalog dev` on the source, and bundles the pages' scripts again when they change. */
import { context } from 'esbuild';
import { main } from '../src/main.ts';

const common = { bundle: true, minify: true, format: 'esm', target: 'es2022', logLevel: 'warning' } as const;
const bundles = await Promise.all([
  context({ ...common, entryPoints: ['src/browser/site.ts', 'src/browser/search.ts'], outdir: 'lib/browser' }),
  context({ ...common, entryPoints: ['src/browser/dev.ts', 'src/browser/dev.css'], outdir: 'lib/dev' }),
]);
await Promise.all(bundles.map((bundle) => bundle.watch()));
process.exitCode = await main([process.execPath, 'catalog', 'dev', ...process.argv.slice(2)]);
await Promise.all(bundles.map((bundle) => bundle.dispose()));
