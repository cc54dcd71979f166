/**
 * `npm run structure`: prints how src/ is built: the size of each room beside its budget, how many files have one importer
 * and how many exports one user, and every circle of imports and every import that ARCHITECTURE.md does not allow.
 *
 * Files are read as text. The formatter gives imports and exports the form that the patterns below expect.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A file of src/. Paths are relative to src/. */
export interface SourceFile {
  path: string;
  /** How many lines it has, with blanks and comments. */
  lines: number;
  /** How many of them are code. */
  code: number;
  exports: readonly string[];
  /** The files that it imports, and the names that it takes from each; `*` means all of them. */
  imports: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads every TypeScript file below `folder`, in the order of their paths. */
export function readSource(folder = join(root, 'src')): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(folder, path), 'utf8')));
}

function parseSource(path: string, text: string): SourceFile {
  const lines = text.trimEnd().split('\n');
  const imports = new Map<string, Set<string>>();
  const add = (from: string, names: readonly string[]) => {
    const file = normalize(join(dirname(path), from));
    imports.set(file, new Set([...(imports.get(file) ?? []), ...names]));
  };
  for (const [, names = '', from = ''] of text.matchAll(/^import ([^'"]*?)(?: from )?'(\.[^']+\.ts)'/gm)) {
    add(from, namesIn(names));
  }
  for (const [, names, from = ''] of text.matchAll(/(?:\{([^{}]*)\} = await )?\bimport\('(\.[^']+\.ts)'\)/g)) {
    add(from, names === undefined ? ['*'] : namesIn(`{${names.replaceAll(/:\s*\w+/g, '')}}`));
  }
  const declared = /^export (?:async |abstract )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
  return {
    path,
    lines: lines.length,
    code: lines.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line)).length,
    exports: [...text.matchAll(declared)].map(([, name = '']) => name),
    imports,
  };
}

/** The names in `{ type A, b as c }`, as the other file calls them. `* as name` and a default import give `*`. */
function namesIn(clause: string): string[] {
  const list = /\{([^}]*)\}/.exec(clause)?.[1];
  if (list === undefined) return ['*'];
  return list
    .split(',')
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type /, '')
          .split(' ')[0] ?? '',
    )
    .filter((name) => name !== '');
}

/** A room, or a folder or file in one, and the rooms and folders that it may import. */
export type Arrows = ReadonlyMap<string, readonly string[]>;

/** Reads the table of rooms in ARCHITECTURE.md: `| `room` | budget | contents | `room`, … |`. */
export function readRooms(text: string): { arrows: Arrows; budgets: ReadonlyMap<string, number> } {
  const rows = [...text.matchAll(/^\| `src\/([^`]+)\/` \| ([\d,]+) \| [^|]* \| ([^|]*) \|$/gm)];
  return {
    arrows: new Map(
      rows.map(([, room = '', , to = '']) => [room, [...to.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)]),
    ),
    budgets: new Map(rows.map(([, room = '', budget = '']) => [room, Number(budget.replaceAll(',', ''))])),
  };
}

/** The imports across rooms that `arrows` does not allow, each as `a.ts → b.ts`. Files outside of rooms import anything. */
export function forbiddenImports(files: readonly SourceFile[], arrows: Arrows): string[] {
  const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);
  return files.flatMap(({ path, imports }) => {
    const room = roomOf(path);
    if (room === null) return [];
    const allowed = [room, ...[...arrows].filter(([from]) => isIn(path, from)).flatMap(([, to]) => to)];
    return [...imports.keys()]
      .filter((target) => roomOf(target) !== null && !allowed.some((place) => isIn(target.replace(/\.ts$/, ''), place)))
      .map((target) => `${path} → ${target}`);
  });
}

/** The groups of files that import each other in a circle, types included. */
export function circles(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, [...file.imports.keys()]]));
  const reachable = new Map([...imports.keys()].map((path) => [path, reachableFrom(path, imports)]));
  const inCircle = [...imports.keys()].filter((path) => reachable.get(path)?.has(path));
  const groups = inCircle.map((path) =>
    inCircle.filter((other) => reachable.get(path)?.has(other) && reachable.get(other)?.has(path)),
  );
  return groups.filter((group, index) => group[0] === inCircle[index]);
}

function reachableFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...(imports.get(path) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...(imports.get(next) ?? []));
  }
  return reached;
}

/** The first folder of a path; null for a file directly in src/. */
function roomOf(path: string): string | null {
  return path.includes('/') ? (path.split('/')[0] as string) : null;
}

/** How many files import each file, and how many other files use each export. */
export function sharing(files: readonly SourceFile[]): { importers: number[]; users: number[] } {
  const importers = files.map(({ path }) => files.filter(({ imports }) => imports.has(path)));
  const users = files.flatMap((file, index) =>
    file.exports.map(
      (name) =>
        (importers[index] ?? []).filter(({ imports }) => {
          const names = imports.get(file.path);
          return names?.has(name) || names?.has('*');
        }).length,
    ),
  );
  return { importers: importers.map(({ length }) => length), users };
}

function print(): void {
  const files = readSource();
  const { arrows, budgets } = readRooms(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
  const { importers, users } = sharing(files);
  const once = (counts: readonly number[]) => {
    const number = counts.filter((count) => count === 1).length;
    return `${number} of ${counts.length} (${((100 * number) / counts.length).toFixed(1)} %)`;
  };
  const code = (room: string | null) =>
    files.filter(({ path }) => roomOf(path) === room).reduce((sum, file) => sum + file.code, 0);
  console.log('room         files   code  budget');
  for (const room of [null, ...new Set(files.map(({ path }) => roomOf(path)).filter((room) => room !== null))]) {
    const count = files.filter(({ path }) => roomOf(path) === room).length;
    const budget = room === null ? '' : String(budgets.get(room) ?? 'none');
    console.log(
      `${(room ?? '.').padEnd(12)} ${String(count).padStart(5)} ${String(code(room)).padStart(6)} ${budget.padStart(7)}`,
    );
  }
  console.log(
    `all          ${String(files.length).padStart(5)} ${String(files.reduce((sum, file) => sum + file.code, 0)).padStart(6)}`,
  );
  console.log(`files with one importer: ${once(importers)}`);
  console.log(`exports with one user: ${once(users)}`);
  console.log(`longest file: ${Math.max(...files.map(({ lines }) => lines))} lines`);
  for (const group of circles(files)) console.log(`circle: ${group.join(' → ')}`);
  for (const arrow of forbiddenImports(files, arrows)) console.log(`not allowed: ${arrow}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) print();
