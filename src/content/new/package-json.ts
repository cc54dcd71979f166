import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { parseBoundedJson } from '../../lib/bounded.ts';
import { runChild } from '../../lib/children.ts';
import { OperationError, orElse, UsageError } from '../../lib/errors.ts';
import { programEngines, programFolder, programName, programVersion } from '../../program.ts';
import { explain } from '../../schema/diagnostics/values.ts';
import { toJson } from '../../schema/documents.ts';
import { packaged } from './catalog.ts';

const start = 'catalog serve --build';

const object = z.record(z.string(), z.unknown(), { error: 'an object' });
const packageJson = z.looseObject({
  scripts: object.optional(),
  dependencies: object.optional(),
  devDependencies: object.optional(),
  optionalDependencies: object.optional(),
});

/** Returns the package.json of a new catalog. `specification` is the version of its dependency on this program. */
export function newPackageJson(specification: string): string {
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
 * `npm start` serves the catalog: it does not if the existing start script does something else.
 *
 * Throws OperationError if it is not a valid package.json.
 */
export function completePackageJson(text: string, specification: string) {
  const content = parse(text);
  const added: string[] = [];
  const depends = [content.dependencies, content.devDependencies, content.optionalDependencies].some(
    (list) => list?.[programName] !== undefined,
  );
  if (content.scripts?.start === undefined) {
    content.scripts = { ...content.scripts, start };
    added.push('scripts.start');
  }
  if (!depends) {
    content.dependencies = { ...content.dependencies, [programName]: specification };
    added.push(`dependencies.${programName}`);
  }
  const starts = content.scripts.start === start;
  return added.length === 0 ? { text, added, starts } : { text: inStyleOf(text, content), added, starts };
}

function parse(text: string): z.infer<typeof packageJson> {
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
export const ownPath = `vendor/${programName}-${programVersion}.tgz`;

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
    const packed = await runChild('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', shelf], {
      cwd: programFolder,
      maxBytes: 2 ** 20,
      // npm is a script on Windows.
      shell: process.platform === 'win32',
    });
    if (packed.code !== 0) {
      const reason = packed.stderr.toString('utf8').trim() || (packed.failure as Error | null)?.message;
      throw new OperationError(
        `npm cannot pack ${programName}, and nothing was written: ${reason}. Name a package with --package.`,
      );
    }
    const bytes = readFileSync(join(shelf, basename(ownPath)));
    const { dependencies, engines } = parse(packageJson);
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
