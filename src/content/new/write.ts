import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { parseBoundedJson } from '../../lib/bounded.ts';
import { runChild } from '../../lib/children.ts';
import { OperationError, orElse, prevented, succeeds, systemReason, UsageError } from '../../lib/errors.ts';
import { replaceFile } from '../../lib/files.ts';
import { programEngines, programFolder, programName, programVersion } from '../../program.ts';
import { toJson } from '../../schema/documents.ts';
import { explain } from '../../schema/messages/values.ts';
import { type Answers, catalogFiles, catalogPaths, packaged } from './catalog.ts';

/**
 * Prepares a new catalog in `folder`, which need not exist. `specifier` is the package of this program, see `dependencyOn`.
 * `completed` is what changes in an existing package.json, and `packs` is whether the catalog gets a copy of the program.
 *
 * Throws UsageError if the package is none, and OperationError if existing files are in the way.
 */
export function prepareCatalog(folder: string, specifier: string | undefined) {
  const specification = dependencyOn(specifier, folder);
  refuseObstacles(folder, catalogPaths);
  const present = readPackageJson(folder);
  const completed = present === null ? null : completePackageJson(present.text, specification);
  const packs =
    specification === `file:${ownPath}` &&
    (completed === null || completed.added.includes(`dependencies.${programName}`));
  if (packs) refuseObstacles(folder, [ownPath]);
  return {
    completed,
    packs,
    /** Writes the catalog of `today`, as `writeCatalog` does, and returns the new files by path. */
    async write(answers: Answers, today: string) {
      const files = new Map<string, string | Uint8Array>(catalogFiles(answers, folder, today));
      if (present === null) files.set('package.json', newPackageJson(specification));
      if (packs) {
        for (const [path, content] of await ownPackage(completed?.text ?? String(files.get('package.json')))) {
          if (!existsSync(join(folder, path))) files.set(path, content);
        }
      }
      const changed = present !== null && completed !== null && completed.added.length > 0;
      writeCatalog(folder, files, changed ? { path: present.path, text: completed.text } : null);
      return files;
    },
  };
}

type Kind = 'nothing' | 'folder' | 'other';

/**
 * Throws OperationError if existing files are in the way of a new catalog in `folder`, and names all of them. `paths`
 * are relative to `folder`, with slashes. package.json may exist, as a file.
 */
function refuseObstacles(folder: string, paths: readonly string[]): void {
  refuseFileAsFolder(folder);
  const obstacles = [...new Set(paths.flatMap((path) => obstacle(folder, path) ?? []))];
  if (kindOf(join(folder, 'package.json')) === 'folder') obstacles.push('package.json (has to be a file)');
  if (obstacles.length === 0) return;
  throw new OperationError(
    `Nothing was written, because ${obstacles.length === 1 ? 'this already exists' : 'these already exist'} in ${folder}:\n` +
      `${obstacles.map((name) => `  ${name}\n`).join('')}` +
      `Move ${obstacles.length === 1 ? 'it' : 'them'} away, or start the catalog in another folder.`,
  );
}

/**
 * Writes the files of a new catalog to `folder`, which is created if it does not exist, and never overwrites a file.
 * Then replaces `replaced`, the one existing file that changes, by a rename. It writes everything or nothing.
 *
 * Throws OperationError if a file cannot be written. Written files are then removed; the message names those that cannot be
 * removed.
 */
export function writeCatalog(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
  replaced: { path: string; text: string } | null,
): void {
  const madeFiles: string[] = [];
  const madeFolders: string[] = [];
  let now = folder;
  try {
    makeFolder(folder, madeFolders);
    for (const [name, text] of files) {
      now = join(folder, name);
      makeFolder(dirname(now), madeFolders);
      writeFileSync(now, text, { flag: 'wx' });
      madeFiles.push(now);
    }
    if (replaced !== null) {
      now = replaced.path;
      replaceFile(now, replaced.text);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'EEXIST') madeFiles.push(now);
    const own = madeFiles.filter((path) => path !== replaced?.path);
    const left = removeAgain(own, madeFolders);
    const rest = left.length === 0 ? 'Nothing was left behind.' : `Delete what was left behind: ${left.join(', ')}.`;
    throw new OperationError(`${now} cannot be written: ${systemReason(code)}. ${rest}`, { cause: error });
  }
}

/**
 * Returns the first part of a path, or the path itself, that would have to be overwritten; null if the path is free.
 */
function obstacle(folder: string, path: string): string | null {
  const steps = path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'));
  for (const step of steps) {
    const kind = kindOf(join(folder, step));
    if (kind === 'nothing') return null;
    if (step === path) return path;
    if (kind === 'other') return `${step} (has to be a folder)`;
  }
  return null;
}

/** Throws OperationError if `folder` or one of its parents is a file. */
function refuseFileAsFolder(folder: string): void {
  let path = folder;
  while (kindOf(path) === 'nothing' && dirname(path) !== path) path = dirname(path);
  if (kindOf(path) === 'other') throw new OperationError(`${path} is not a folder; name another one for the catalog.`);
}

/** Returns what exists at a path. A link to a folder is a folder; a broken link is `other`. */
function kindOf(path: string): Kind {
  try {
    if (!lstatSync(path).isSymbolicLink()) return lstatSync(path).isDirectory() ? 'folder' : 'other';
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? 'folder' : 'other';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
    throw prevented(`${path} cannot be read`, error);
  }
}

/** Creates a folder and its missing parents, and adds each new folder to `made`. */
function makeFolder(path: string, made: string[]): void {
  if (kindOf(path) === 'folder') return;
  makeFolder(dirname(path), made);
  mkdirSync(path);
  made.push(path);
}

/** Removes the created files and folders, newest first, and returns those that cannot be removed. */
function removeAgain(files: readonly string[], folders: readonly string[]): string[] {
  return [
    ...files.filter((path) => !succeeds(() => rmSync(path, { force: true }))),
    ...[...folders].reverse().filter((path) => !succeeds(() => rmdirSync(path))),
  ];
}

/** Reads package.json of a folder, with the path of the real file if it is a link; null if it does not exist. */
function readPackageJson(folder: string): { path: string; text: string } | null {
  const path = join(folder, 'package.json');
  try {
    return { path: realpathSync(path), text: readFileSync(path, 'utf8') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw prevented(`${path} cannot be read, and nothing was written`, error);
  }
}

/** The script `start` of package.json. */
const start = 'catalog serve --build';

const object = z.record(z.string(), z.unknown(), { error: 'an object' });
const packageJson = z.looseObject({
  scripts: object.optional(),
  dependencies: object.optional(),
  devDependencies: object.optional(),
  optionalDependencies: object.optional(),
});

/** Returns the package.json of a new catalog. `specification` is the version of its dependency on this program. */
function newPackageJson(specification: string): string {
  const content = {
    private: true,
    scripts: { start },
    engines: programEngines,
    dependencies: { [programName]: specification },
  };
  return toJson(content);
}

/**
 * Adds to a package.json what a catalog needs: a start script and the dependency on this program. Its formatting and
 * the rest of its content stay the same. Returns also the names of the added fields, such as `scripts.start`, and whether
 * `npm start` serves the catalog: it does not if the existing start script does something else. `outside` is the path of the
 * packed program if it is not in the catalog's folder.
 *
 * Throws OperationError if it is not a valid package.json.
 */
function completePackageJson(text: string, specification: string) {
  const content = parsePackageJson(text);
  const added: string[] = [];
  const dependency = [content.dependencies, content.devDependencies, content.optionalDependencies]
    .map((list) => list?.[programName])
    .find((each) => each !== undefined);
  if (content.scripts?.start === undefined) {
    content.scripts = { ...content.scripts, start };
    added.push('scripts.start');
  }
  if (dependency === undefined) {
    content.dependencies = { ...content.dependencies, [programName]: specification };
    added.push(`dependencies.${programName}`);
  }
  const outside = /^file:((?:\.\.|\/).*\.tgz)$/.exec(String(dependency))?.[1];
  const starts = content.scripts.start === start;
  return { text: added.length === 0 ? text : inStyleOf(text, content), added, starts, outside };
}

function parsePackageJson(text: string): z.infer<typeof packageJson> {
  let content: unknown;
  try {
    content = parseBoundedJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new OperationError(
      `package.json is not well-formed JSON, and nothing was written: ${(error as Error).message}`,
      { cause: error },
    );
  }
  const problems = explain(packageJson, content);
  if (problems.length > 0) {
    throw new OperationError(
      `package.json is not valid, and nothing was written: ${problems.map(({ message }) => message).join(' ')}`,
    );
  }
  // Not the result of zod, which puts known keys first.
  return content as z.infer<typeof packageJson>;
}

/** Formats JSON with the indentation, line endings and final whitespace of the text that it replaces. */
function inStyleOf(text: string, content: object): string {
  const indentation = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const [mark] = /^\uFEFF?/.exec(text) ?? [''];
  const [end] = /\s*$/.exec(text) ?? [''];
  return mark + JSON.stringify(content, null, indentation).replaceAll('\n', lineEnd) + end;
}

/**
 * Returns the dependency that package.json in `folder` needs for the package `specifier`: as in `npm install`, a
 * version range, an address, a file or a folder, or a tag, which is `latest`, `next`, or any after the name of this
 * program and `@`. The default is the version of this program or a later compatible one if npm installed it from a
 * registry, and otherwise the copy that `ownPackage` makes. Paths are relative to the working directory, and are
 * returned relative to `folder`.
 *
 * Throws UsageError if `specifier` is none of these, such as the mere name of a package, and OperationError if it names a
 * missing file.
 */
export function dependencyOn(specifier: string | undefined, folder: string): string {
  if (specifier === undefined) return isPublished() ? `^${programVersion}` : `file:${ownPath}`;
  const named = specifier.startsWith(`${programName}@`);
  const specification = named ? specifier.slice(programName.length + 1) : specifier;
  const isTag = /^(?:latest|next)$/.test(specification) || (named && specification !== '');
  // Versions have a digit or `*`, addresses a colon or a slash. npm checks the rest.
  const isUsable = isTag || isPath(specification) || /[\d*:/]/.test(specification);
  if (specification.trim() !== specification || /\p{Cc}/u.test(specification) || !isUsable) {
    const hint = specification !== '' && existsSync(specification) ? ` Did you mean ./${specification}?` : '';
    throw new UsageError(
      `--package is ${JSON.stringify(specifier)}; it has to be a version such as ^${programVersion}, a tag such as next, an address, or the path of a package.${hint}`,
    );
  }
  if (!isPath(specification)) return specification;
  const path = resolve(specification.replace(/^file:/, ''));
  if (!existsSync(path)) throw new OperationError(`--package names ${path}, which does not exist.`);
  return `file:${relative(folder, path).split(sep).join('/')}`;
}

/** The packed program in a catalog that cannot get it from a registry. */
const ownPath = `vendor/${programName}-${programVersion}.tgz`;

/**
 * Whether npm installed this program from a registry, as its list of installed packages says. Somebody else may own
 * the name there, so the name alone proves nothing.
 */
function isPublished(): boolean {
  return orElse(() => {
    const list = JSON.parse(readFileSync(join(programFolder, '../.package-lock.json'), 'utf8'));
    return /^https?:/.test(list.packages[`node_modules/${programName}`].resolved);
  }, false);
}

/** Packs this program, and writes the lock file that has its digest, so that npm refuses any other package. */
export async function ownPackage(packageJson: string): Promise<Map<string, string | Uint8Array>> {
  const shelf = mkdtempSync(join(tmpdir(), `${programName}-`));
  try {
    // npm is a script on Windows, and a shell would split a path with a space in the arguments.
    const options = {
      shell: process.platform === 'win32',
      env: { ...process.env, npm_config_pack_destination: shelf },
    };
    const args = ['pack', '--ignore-scripts', '--loglevel=error'];
    const packed = await runChild('npm', args, { ...options, cwd: programFolder, maxBytes: 2 ** 20 });
    if (packed.code !== 0) {
      const reason = packed.stderr.toString('utf8').trim() || (packed.failure as Error | null)?.message;
      throw new OperationError(
        `npm cannot pack ${programName}, and nothing was written: ${reason}. Name a package with --package.`,
      );
    }
    const bytes = readFileSync(join(shelf, basename(ownPath)));
    const { dependencies, engines } = parsePackageJson(packageJson);
    const program = JSON.parse(packaged('package.json'));
    const lock = {
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { dependencies, engines },
        [`node_modules/${programName}`]: {
          version: programVersion,
          resolved: `file:${ownPath}`,
          integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
          dependencies: program.dependencies,
          bin: program.bin,
          engines: program.engines,
        },
      },
    };
    return new Map<string, string | Uint8Array>([
      [ownPath, bytes],
      ['package-lock.json', toJson(lock)],
    ]);
  } finally {
    rmSync(shelf, { recursive: true, force: true });
  }
}

/** Whether npm treats this as a path (the rule of npm-package-arg). */
function isPath(specification: string): boolean {
  if (/^file:|^\.|^\/|^\\|^[A-Za-z]:[\\/]/.test(specification)) return true;
  return /\.(?:tgz|tar|tar\.gz)$/i.test(specification) && !/^[\w+.-]+:/.test(specification);
}
