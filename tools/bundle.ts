/** `npm run build`: makes lib/ from src/. One file for each command loads faster than hundreds of modules. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { readTemplates } from '../src/build/read-templates.ts';
import type { Settings } from '../src/schema/settings.ts';
import { templateHelpers } from '../src/site/shared/page.ts';
import { precompile } from '../src/site/shared/templates.ts';
import { addresses } from '../src/site/shared/urls.ts';
import { browserBundles } from './browser-bundles.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Bundled CommonJS packages call `require`, which modules do not have. */
const banner = `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);`;

rmSync(join(root, 'lib'), { recursive: true, force: true });
for (const options of browserBundles) await build({ ...options, absWorkingDir: root });
const { metafile } = await build({
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  logLevel: 'warning',
  entryPoints: ['src/main.ts', 'src/build/staging-worker.ts', 'src/site/social-image/drawing-worker.ts'],
  // These load files of their own when they run; pg looks for pg-native.
  external: ['@resvg/resvg-js', 'pg', 'pino'],
  // An alias is resolved from here. gray-matter, which only splits files, thus needs no older version of its own.
  alias: { 'js-yaml': 'js-yaml' },
  platform: 'node',
  target: 'node20.19',
  splitting: true,
  chunkNames: '[name]-[hash]',
  outbase: 'src',
  outdir: 'lib',
  banner: { js: banner },
  metafile: true,
});
writeFileSync(join(root, 'lib/licenses.txt'), licenses(Object.keys(metafile.inputs)));
// Only the names of the helpers matter here.
const settings = { baseUrl: 'https://example.org', runtimeUrl: null, language: 'en' } as Settings;
const { templates, assets } = readTemplates(join(root, 'lib'));
const helpers = templateHelpers(settings, addresses(settings), assets);
writeFileSync(join(root, 'lib/templates.cjs'), precompile(templates, helpers));

/** The licenses of the packages to which bundled files belong. They have to accompany copies. */
function licenses(files: readonly string[]): string {
  const packages = new Set(files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]));
  const texts = [...packages].filter((path) => path !== undefined).map((path) => licenseOf(join(root, path)));
  return `lib/ contains code of these packages.\n\n${texts.sort().join('\n')}`;
}

function licenseOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  const text =
    file === undefined ? `${license}, ${author?.name ?? author}\n` : readFileSync(join(folder, file), 'utf8');
  return `${'='.repeat(80)}\n${name} ${version}\n\n${text}`;
}
