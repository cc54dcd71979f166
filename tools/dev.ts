/** `npm run dev`: runs `catalog dev` on the source, and bundles the pages' scripts again when they change. */
import { context } from 'esbuild';
import { main } from '../src/main.ts';
import { browserBundles } from './browser-bundles.ts';

const bundles = await Promise.all(browserBundles.map((options) => context(options)));
await Promise.all(bundles.map((bundle) => bundle.watch()));
process.exitCode = await main([process.execPath, 'catalog', 'dev', ...process.argv.slice(2)]);
await Promise.all(bundles.map((bundle) => bundle.dispose()));
