/** `npm run build`: makes lib/ from src/. One file for each command loads faster than hundreds of modules. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { readTemplates } from '../src/build/read-templates.ts';
import type { Settings } from '../src/schema/settings.ts';
import { templateHelpers } from '../src/site/shared/page.ts';
import { precompile } from '../src/site/shared/templates.ts';
import { addresses } from '../src/site/site.ts';
import { hasPid } from '../src/storage/lock.ts';
import { browserBundles } from './browser-bundles.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Bundled CommonJS packages call `require`, which modules do not have. */
const banner = `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);`;

// A packed file keeps its mode, and the package has the same bytes for everyone who makes it.
process.umask(0o022);
/** The files of lib/, by their paths. */
const made = new Set<string>();
const inputs: string[] = [];
for (const options of browserBundles) await bundle(options);
await bundle({
  bundle: true,
  format: 'esm',
  logLevel: 'warning',
  entryPoints: ['src/main.ts', 'src/build/staging-worker.ts', 'src/site/social-image/drawing-worker.ts'],
  // `dependencies` are installed with the package and loaded from there; everything else is bundled.
  // gray-matter would get a second copy, since it requires the CommonJS one.
  alias: { 'js-yaml': './node_modules/js-yaml/dist/js-yaml.mjs' },
  external: Object.keys(program.dependencies).flatMap((name) => [name, `${name}/*`]),
  platform: 'node',
  target: 'node20.19',
  splitting: true,
  chunkNames: '[name]-[hash]',
  outbase: 'src',
  outdir: 'lib',
  banner: { js: banner },
});
const packages = packagesOf(inputs);
write(join(root, 'lib/licenses.txt'), licenses(packages));
write(join(root, 'lib/sbom.cdx.json'), `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);
// Only the names of the helpers matter here.
const settings = { baseUrl: 'https://example.org', runtimeUrl: null, language: 'en' } as Settings;
const { templates, assets } = readTemplates(join(root, 'lib'));
const helpers = templateHelpers(settings, addresses(settings), assets);
write(join(root, 'lib/templates.cjs'), precompile(templates, helpers));
removeOthers(join(root, 'lib'));

async function bundle(options: BuildOptions): Promise<void> {
  // A linked node_modules gives the same bytes: comments name each file.
  const common = { absWorkingDir: root, preserveSymlinks: true, metafile: true, write: false } as const;
  const { metafile, outputFiles } = await build({ ...options, ...common });
  inputs.push(...Object.keys(metafile.inputs));
  // New files first: those that change import them.
  const isOld = new Map(outputFiles.map(({ path }) => [path, existsSync(path)]));
  for (const old of [false, true])
    for (const { path, contents } of outputFiles) if (isOld.get(path) === old) write(path, contents);
}

/** Writes a file of lib/, or leaves the same one as it is: a program that is running at this time may load it. */
function write(path: string, contents: string | Uint8Array): void {
  made.add(path);
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** Removes what is left of earlier versions, but not a draft of a process that does the same. */
function removeOthers(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const [, pid] = /\.(\d+)$/.exec(entry.name) ?? [];
    if (entry.isFile() && !made.has(path) && !(pid !== undefined && hasPid(Number(pid)))) rmSync(path, { force: true });
  }
}

interface Package {
  folder: string;
  name: string;
  version: string;
  license: string;
  author?: string | { name: string };
}

/** The packages to which bundled files belong, in the order of their names and versions. */
function packagesOf(files: readonly string[]): Package[] {
  const paths = files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = new Map<string, Package>();
  for (const path of new Set(paths)) {
    if (path === undefined) continue;
    const folder = join(root, path);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    packages.set(`${manifest.name} ${manifest.version}`, { ...manifest, folder });
  }
  return [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Their licenses, which have to accompany copies. */
function licenses(packages: readonly Package[]): string {
  return `lib/ contains code of these packages.\n\n${packages.map(licenseOf).join('\n')}`;
}

function licenseOf({ folder, name, version, license, author }: Package): string {
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  const holder = typeof author === 'object' ? author.name : author;
  const text = file === undefined ? `${license}, ${holder}\n` : readFileSync(join(folder, file), 'utf8');
  return `${'='.repeat(80)}\n${name} ${version}\n\n${text}`;
}

/** A list of them for scanners, which do not see what is bundled: CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). */
function billOfMaterials(packages: readonly Package[]) {
  const component = (type: string, { name, version, license }: Omit<Package, 'folder'>) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type, 'bom-ref': purl, name, version, licenses: [{ license: { id: license } }], purl };
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', program) },
    components: packages.map((bundled) => component('library', bundled)),
  };
}
