import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { load } from 'cheerio';
import { bundled } from '../test/support/catalog.ts';
import {
  renderBareCatalog,
  renderLargeCatalog,
  renderRichCatalog,
  writeRichCatalog,
} from '../test/support/rich-catalog.ts';
import { type Builds, findings } from '../test/support/surfaces/index.ts';

/**
 * Changes the templates one step at a time: it empties each expression, turns off the escaping of each escaped one, and
 * makes each condition true and then false. It then lists the changes that the checks of test/outputs/surfaces.test.ts
 * do not notice. A change that leaves the parsed pages the same is only counted.
 *
 * `npm run mutate -- templates [part of a path]` exits with 1 if a change is not noticed. `npm run mutate --
 * src/<folder>` does the same with the code of a folder: see mutation/run.ts.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } },
});
const [what, pattern = ''] = positionals;
if (what?.startsWith('src/')) {
  const { mutateSource } = await import('./mutation/run.ts');
  process.exit(await mutateSource(bundled, what, pattern, { size: Number(values.sample), seed: values.seed }));
}
if (what !== 'templates') {
  console.error('Usage: npm run mutate -- (templates | src/<folder>) [part of a path] [--sample 500] [--seed 1]');
  process.exit(2);
}

const own = join(bundled, 'templates');
const paths = readdirSync(own, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.hbs'))
  .map((entry) => relative(own, join(entry.parentPath, entry.name)))
  .filter((path) => path.includes(pattern))
  .sort();

/** One change of a template, and its description. */
interface Mutation {
  line: number;
  change: string;
  text: string;
}

/** The changes of a template. Comments, `else` and the ends of blocks are left alone. */
function mutationsOf(source: string): Mutation[] {
  return [...source.matchAll(/\{\{(?![!/]|else)\{?([^{}]+)\}?\}\}/g)].flatMap(({ 0: whole, index }) => {
    const line = source.slice(0, index).split('\n').length;
    const by = (replacement: string, change: string): Mutation => ({
      line,
      change: `${whole} ${change}`,
      text: source.slice(0, index) + replacement + source.slice(index + whole.length),
    });
    const block = /^\{\{#(each|if|unless)\b/.exec(whole)?.[1];
    if (block === 'each') return [by('{{#each undefined}}', 'without entries')];
    if (block !== undefined) return [by(`{{#${block} false}}`, 'with false'), by(`{{#${block} true}}`, 'with true')];
    if (/^\{\{[{>]/.test(whole)) return [by('', 'emptied')];
    return [by('', 'emptied'), by(`{${whole}}`, 'unescaped')];
  });
}

const folder = mkdtempSync(join(tmpdir(), 'catalog-mutate-'));
const counts = { noticed: 0, same: 0, unnoticed: 0 };
try {
  writeRichCatalog(folder);
  const parsed = ({ files, large, bare }: Builds) =>
    // build.json is excluded: its hash changes even if an attribute is only written differently.
    [...files, ...large, ...bare]
      .filter(([path]) => path !== 'build.json')
      .map(([path, bytes]) => (path.endsWith('.html') ? load(bytes).html() : bytes.toString('latin1')))
      .join();
  const before = parsed(build());
  for (const path of paths) {
    const source = readFileSync(join(own, path), 'utf8');
    for (const { line, change, text } of mutationsOf(source)) {
      cpSync(own, join(folder, 'templates'), { recursive: true });
      writeFileSync(join(folder, 'templates', path), text);
      const outcome = await outcomeOf(before, parsed);
      counts[outcome] += 1;
      if (outcome === 'unnoticed') console.log(`templates/${path}:${line}  ${change}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${counts.noticed} changes noticed, ${counts.unnoticed} not; ${counts.same} alter no document.`);
process.exit(counts.unnoticed > 0 ? 1 : 0);

function build(): Builds {
  return {
    files: renderRichCatalog(folder),
    large: renderLargeCatalog(folder),
    bare: renderBareCatalog(folder),
  };
}

async function outcomeOf(before: string, parsed: (builds: Builds) => string): Promise<keyof typeof counts> {
  try {
    const builds = build();
    if ([...(await findings(builds)).values()].some((differences) => differences.length > 0)) return 'noticed';
    return parsed(builds) === before ? 'same' : 'unnoticed';
  } catch {
    return 'noticed';
  }
}
