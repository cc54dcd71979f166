import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { OperationError, UsageError } from '../../errors.ts';
import { programEngines, programName, programVersion } from '../../program.ts';
import { explain } from '../../schema/explain.ts';

const start = 'catalog serve --build';

const object = z.record(z.string(), z.unknown(), { error: 'an object' });
const packageJson = z.looseObject({
  scripts: object.optional(),
  dependencies: object.optional(),
  devDependencies: object.optional(),
  optionalDependencies: object.optional(),
});

/** package.json of a catalog: its text, and what was added to the one that was there. */
export interface PackageJson {
  text: string;
  /** Names of what was added, such as `scripts.start`; empty when nothing had to be. */
  added: string[];
  /** Whether `npm start` serves the catalog: false where the one that was there starts something else. */
  starts: boolean;
}

/** package.json of a new catalog that depends on this program as `specification` says. */
export function newPackageJson(specification: string): string {
  const content = {
    private: true,
    scripts: { start },
    engines: programEngines,
    dependencies: { [programName]: specification },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/**
 * The package.json `text` with what a catalog needs and it lacks: a start script and the dependency on this program.
 * Its indentation, line ends and the rest of its content stay.
 *
 * Throws OperationError when it is not what npm could read.
 */
export function completePackageJson(text: string, specification: string): PackageJson {
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
    content = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new OperationError(
      `package.json is not well-formed JSON, and nothing was written: ${(error as Error).message}`,
      { cause: error },
    );
  }
  const faults = explain(packageJson, content);
  if (faults.length > 0) {
    throw new OperationError(
      `package.json is wrong, and nothing was written: ${faults.map(({ message }) => message).join(' ')}`,
    );
  }
  // Not what zod makes of it, which has the known keys first.
  return content as z.infer<typeof packageJson>;
}

/** JSON with the indentation, the line ends and the end of the text that it replaces. */
function inStyleOf(text: string, content: object): string {
  const indentation = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const [mark] = /^\uFEFF?/.exec(text) ?? [''];
  const [end] = /\s*$/.exec(text) ?? [''];
  return mark + JSON.stringify(content, null, indentation).replaceAll('\n', lineEnd) + end;
}

/**
 * What package.json in `folder` has to say to depend on the package that `given` names: a version range, a tag, an
 * address, or a file or folder, as `npm install` takes them. Without one it is this program's own version or a later
 * compatible one. A path is taken from the working directory and becomes one from `folder`.
 *
 * Throws UsageError for what names no package, OperationError for a file that is not there.
 */
export function dependencyOn(given: string | undefined, folder: string): string {
  if (given === undefined) return `^${programVersion}`;
  const specification = given.startsWith(`${programName}@`) ? given.slice(programName.length + 1) : given;
  if (specification.trim() !== specification || specification === '' || /\p{Cc}/u.test(specification)) {
    throw new UsageError(
      `--package is ${JSON.stringify(given)}; it has to be a version such as ^${programVersion}, an address, or the path of a package.`,
    );
  }
  if (!isPath(specification)) return specification;
  const path = resolve(specification.replace(/^file:/, ''));
  if (!existsSync(path)) throw new OperationError(`--package names ${path}, and there is no such file.`);
  return `file:${relative(folder, path).split(sep).join('/')}`;
}

/** Whether npm would take it for a path (the rule of npm-package-arg). */
function isPath(specification: string): boolean {
  if (/^file:|^\.|^\/|^\\|^[A-Za-z]:[\\/]/.test(specification)) return true;
  return /\.(?:tgz|tar|tar\.gz)$/i.test(specification) && !/^[\w+.-]+:/.test(specification);
}
