import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** One change of the source: its location, the old text and the new text. */
export interface Mutant {
  id: string;
  file: string;
  line: number;
  change: string;
}

export interface Sandbox {
  path: string;
  mutants: Mutant[];
  remove(): void;
}

const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
};

/**
 * Makes a copy of the repository in which the files of one folder contain all their mutants at once, each behind a
 * switch, both as source and compiled. Its tests import `test` and `suite` from mutation/uvu.ts, which knows which test
 * is running.
 */
export async function makeSandbox(root: string, folder: string): Promise<Sandbox> {
  const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'catalog-mutation-'));
  const path = join(base, 'copy');
  const remove = () => rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  try {
    // For root, PostgreSQL runs as the user nobody, who has to reach its programs in here.
    chmodSync(base, 0o711);
    const skipped = new Set(
      ['node_modules', '.git', 'lib', 'dist', 'data', 'coverage'].map((name) => join(root, name)),
    );
    cpSync(root, path, { recursive: true, filter: (from) => !skipped.has(from) });
    symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
    mkdirSync(join(path, 'lib'));
    // Next to the copy, since some tests need a folder that is not in a repository.
    mkdirSync(join(base, 'tmp'));
    copyHistory(root, path);
    const mutants = await instrument(path, folder);
    countTests(path);
    reportCoverage(join(path, 'bin/catalog.js'));
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: path, stdio: 'inherit' });
    return { path, mutants, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Gives the sandbox the history of the repository, which the tests need as a record, but no remote. */
function copyHistory(root: string, path: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: path, stdio: 'ignore' });
  const copy = join(path, 'tmp/history');
  git('clone', '--no-checkout', '--no-hardlinks', root, copy);
  renameSync(join(copy, '.git'), join(path, '.git'));
  git('remote', 'remove', 'origin');
  rmSync(copy, { recursive: true });
}

async function instrument(path: string, folder: string): Promise<Mutant[]> {
  const names = readdirSync(join(path, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(path, folder, name))
    .sort();
  const sources = new Map(names.map((name) => [name, readFileSync(name, 'utf8')]));
  const { files, mutants } = await new Instrumenter(logger).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  for (const { name, content } of files) writeFileSync(name, content);
  return mutants.map(({ id, fileName, location: { start, end }, replacement = '' }) => {
    const lines = (sources.get(fileName) ?? '').split('\n').slice(start.line, end.line + 1);
    const last = lines.length - 1;
    lines[last] = lines[last]?.slice(0, end.column) ?? '';
    lines[0] = lines[0]?.slice(start.column) ?? '';
    return {
      id,
      file: relative(path, fileName).split(sep).join('/'),
      line: start.line + 1,
      change: `${short(lines.join('\n'))} → ${short(replacement)}`,
    };
  });
}

function short(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length > 70 ? `${line.slice(0, 50)} … ${line.slice(-15)}` : line;
}

function countTests(path: string): void {
  const uvu = JSON.stringify(join(path, 'tools/mutation/uvu.ts'));
  for (const name of readdirSync(join(path, 'test'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts')) continue;
    const file = join(path, 'test', name);
    writeFileSync(file, readFileSync(file, 'utf8').replace("from 'uvu';", `from ${uvu};`));
  }
}

/** Makes the command line write the mutants that it reached to a file, for the test that started it. */
function reportCoverage(bin: string): void {
  const [line = '', ...rest] = readFileSync(bin, 'utf8').split('\n');
  const report = `import { appendFileSync } from 'node:fs';
const { MUTATION_COVERAGE } = process.env;
process.on('exit', () => {
  const reached = Object.keys(globalThis.__stryker__?.mutantCoverage?.static ?? {});
  try {
    if (MUTATION_COVERAGE) appendFileSync(MUTATION_COVERAGE, reached.join(' ') + ' ');
  } catch {}
});`;
  writeFileSync(bin, [line, report, ...rest].join('\n'));
}
