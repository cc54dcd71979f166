import { fork } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { load } from 'cheerio';
import { bundled } from '../test/support/catalog.ts';
import {
  renderBareCatalog,
  renderLargeCatalog,
  renderRichCatalog,
  renderSentMails,
  writeRichCatalog,
} from '../test/support/rich-catalog.ts';
import { type Builds, findings } from '../test/support/surfaces/index.ts';
import { processes } from './mutation/processes.ts';

/**
 * Changes the templates one step at a time: it empties each expression, turns off the escaping of each escaped one, and
 * makes each condition true and then false. It then lists the changes that the checks of test/site/surfaces.test.ts
 * do not notice. If something is emptied that no document shows, that counts as not noticed; any other change that
 * leaves the parsed pages the same is only counted.
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

const templates = join(bundled, 'templates');
const paths = readdirSync(templates, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.hbs'))
  .map((entry) => relative(templates, join(entry.parentPath, entry.name)))
  .filter((path) => path.includes(pattern))
  .sort();

/** One change of a template, and its description. */
interface Mutation {
  line: number;
  change: string;
  text: string;
  /** Whether it empties an expression that shows something. */
  empties: boolean;
}

/** The changes of a template. Comments, `else` and the ends of blocks are left alone. */
function mutationsOf(source: string): Mutation[] {
  return [...source.matchAll(/\{\{(?![!/]|else)\{?([^{}]+)\}?\}\}/g)].flatMap(({ 0: whole, index }) => {
    const line = source.slice(0, index).split('\n').length;
    const by = (replacement: string, change: string, empties = false): Mutation => ({
      line,
      change: `${whole} ${change}`,
      text: source.slice(0, index) + replacement + source.slice(index + whole.length),
      empties,
    });
    const block = /^\{\{#(each|if|unless)\b/.exec(whole)?.[1];
    if (block === 'each') return [by('{{#each undefined}}', 'without entries')];
    if (block !== undefined) return [by(`{{#${block} false}}`, 'with false'), by(`{{#${block} true}}`, 'with true')];
    if (/^\{\{[{>]/.test(whole)) return [by('', 'emptied', true)];
    return [by('', 'emptied', true), by(`{${whole}}`, 'unescaped')];
  });
}

/** How many changes had which outcome. */
interface Outcomes {
  noticed: number;
  unnoticed: number;
  /** They alter no document. */
  same: number;
}

const part = process.env.MUTATION_PART;
if (part !== undefined) {
  process.send?.(await outcomesOf((index) => index % processes === Number(part)));
  process.disconnect?.();
} else {
  const parts = await Promise.all(Array.from({ length: processes }, (_, index) => outcomesInProcess(index)));
  const sum = (outcome: keyof Outcomes) => parts.reduce((total, part) => total + part[outcome], 0);
  console.log(`${sum('noticed')} changes noticed, ${sum('unnoticed')} not; ${sum('same')} alter no document.`);
  process.exitCode = sum('unnoticed') > 0 ? 1 : 0;
}

/** Runs one part of the changes in a process of its own. */
function outcomesInProcess(part: number): Promise<Outcomes> {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
    env: { ...process.env, MUTATION_PROCESSES: String(processes), MUTATION_PART: String(part) },
  });
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code, signal) => reject(new Error(`A process ended early (${signal ?? code}).`)));
  });
}

/** Tries the changes whose index is chosen, and prints those that are not noticed. */
async function outcomesOf(isChosen: (index: number) => boolean): Promise<Outcomes> {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-mutate-'));
  const outcomes: Outcomes = { noticed: 0, unnoticed: 0, same: 0 };
  try {
    writeRichCatalog(folder);
    const before = build(folder);
    let index = 0;
    for (const path of paths) {
      const source = readFileSync(join(templates, path), 'utf8');
      for (const { line, change, text, empties } of mutationsOf(source)) {
        if (!isChosen(index++)) continue;
        cpSync(templates, join(folder, 'templates'), { recursive: true });
        writeFileSync(join(folder, 'templates', path), text);
        const found = await outcomeOf(folder, before);
        const isUnseen = found === 'same' && empties;
        const outcome = isUnseen ? 'unnoticed' : found;
        outcomes[outcome] += 1;
        const where = `templates/${path}:${line}  ${change}`;
        if (outcome === 'unnoticed') console.log(isUnseen ? `${where}, but no document shows it` : where);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return outcomes;
}

function build(folder: string): Builds {
  return {
    files: renderRichCatalog(folder),
    large: renderLargeCatalog(folder),
    bare: renderBareCatalog(folder),
    sent: renderSentMails(folder),
  };
}

async function outcomeOf(folder: string, before: Builds): Promise<keyof Outcomes> {
  try {
    const after = build(folder);
    const kinds = ['files', 'large', 'bare', 'sent'] as const;
    if (kinds.every((kind) => isSame(before[kind], after[kind]))) return 'same';
    return [...(await findings(after)).values()].some((differences) => differences.length > 0)
      ? 'noticed'
      : 'unnoticed';
  } catch {
    return 'noticed';
  }
}

/** Whether the files are the same, and pages are once they are parsed. build.json has hashes of the bytes, and is left out. */
function isSame(before: ReadonlyMap<string, Buffer>, after: ReadonlyMap<string, Buffer>): boolean {
  if (before.size !== after.size) return false;
  return [...before].every(([path, old]) => {
    const bytes = after.get(path);
    if (path === 'build.json' || bytes?.equals(old)) return true;
    return bytes !== undefined && path.endsWith('.html') && load(bytes).html() === load(old).html();
  });
}
