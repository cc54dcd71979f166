import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import Handlebars from 'handlebars';
import * as z from 'zod';
import { parseBoundedJson } from '../../lib/bounded.ts';
import { OperationError, orElse, prevented, systemReason } from '../../lib/errors.ts';
import { isDraftName, makeFolder, replaceFiles } from '../../lib/files.ts';
import { gitOrNull, mergeTexts } from '../../lib/git.ts';
import { maskSecrets } from '../../lib/secrets.ts';
import { isLater, programEngines, programFolder, programName, programVersion } from '../../program.ts';
import { toJson } from '../../schema/documents.ts';
import { settingsSource } from '../../schema/settings.ts';
import { slugFrom, titleFrom } from '../../schema/slugs.ts';
import { firstFreeDate } from '../check/calendar.ts';
import { diffOf } from '../fix-and-rename.ts';
import { checkContent } from '../load.ts';
import { readAgents } from '../read.ts';
import { settingsFile } from '../settings.ts';
import { type Answer, type ChecksOf, demand, oneLine } from './agent.ts';

/** The answers that the files of a new catalog are made from. */
export interface Answers {
  title: string;
  baseUrl: string;
  publisher: string;
  publisherUrl: string;
  /** An IANA name. */
  timezone: string;
}

/** The base URL until the real one is known. It leads nowhere (RFC 2606). */
export const placeholderUrl = 'https://example.com';

const { title, baseUrl, publisher, timezone } = settingsSource.shape;

const checked = (schema: Parameters<typeof demand>[0]) => (name: string, answer: Answer) =>
  oneLine(name, String(demand(schema, name, answer)));

/** Checks every answer against the schema of the settings. */
export const answerChecks: ChecksOf<Answers> = {
  title: checked(title),
  baseUrl: checked(baseUrl),
  publisher: checked(publisher.shape.name),
  publisherUrl: checked(publisher.shape.url),
  timezone: checked(timezone),
};

/** The time zone of this machine, if it has one. */
function ownTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // Undefined or `Etc/Unknown` if the machine has a zone that Node.js does not know.
  return timeZone !== undefined && timezone.safeParse(timeZone).success ? timeZone : 'UTC';
}

/** Fills in missing answers: the title from the name of the folder, the others from given answers or defaults. */
export function complete(partial: Partial<Answers>, folder: string): Answers {
  const title = partial.title ?? (titleFrom(slugFrom(basename(folder))) || 'Agent Catalog');
  const baseUrl = partial.baseUrl ?? placeholderUrl;
  return {
    title,
    baseUrl,
    publisher: partial.publisher ?? title,
    publisherUrl: partial.publisherUrl ?? baseUrl,
    timezone: partial.timezone ?? ownTimeZone(),
  };
}

/** Files that a catalog gets unchanged from the repository of the program. */
const shared = [
  '.github/workflows/validate.yml',
  '.github/workflows/publish.yml',
  '.github/workflows/intake.yml',
  '.github/ISSUE_TEMPLATE/config.yml',
  '.github/ISSUE_TEMPLATE/propose-an-agent.yml',
  '.github/ISSUE_TEMPLATE/report-a-fault.yml',
  '.github/PULL_REQUEST_TEMPLATE.md',
  '.github/dependabot.yml',
  'deploy/catalog-announce.timer',
  'deploy/catalog-backup.service',
  'deploy/catalog-backup.timer',
  'deploy/logrotate.conf',
];

/** The code owner of the program's repository, as written in its CODEOWNERS. */
const ownOwner = '@daily-agent-catalog/maintainers';

/** The placeholder for the code owner of a new catalog. */
export const placeholderOwner = '@OWNER';

/** The example agent: its slug and its files, below starter/agents. */
const agent = 'handover-gap-finder';
const agentFiles = ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'];

/** The units that start the program. */
const units = ['deploy/catalog.service', 'deploy/catalog-deployed.service', 'deploy/catalog-announce.service'];

/**
 * Files whose source is in starter/. npm excludes .gitignore files from packages, and reads them as lists of further files
 * to exclude.
 */
const starterFiles: Readonly<Record<string, string>> = {
  '.gitattributes': 'starter/gitattributes',
  '.gitignore': 'starter/gitignore',
  '.dockerignore': 'starter/dockerignore',
  'deploy/Dockerfile': 'starter/deploy/Dockerfile',
};

/** The files that `catalog upgrade` replaces as long as the editor did not change them. */
const upgradedPaths = [
  '.gitattributes',
  '.gitignore',
  '.dockerignore',
  ...shared,
  '.github/CODEOWNERS',
  'deploy/Dockerfile',
  ...units,
];

/** Says of which version the files of `upgradedPaths` are, and has their texts, so that an upgrade sees what was changed. */
const stampFile = '.catalog/files.json';
const stamp = z.object({ version: z.string(), files: z.record(z.string(), z.string()) });

/** Returns the content of `stampFile`: the version of the program, and the text of each file by its path. */
function stampOf(files: ReadonlyMap<string, string>): string {
  return toJson({ version: programVersion, files: Object.fromEntries(files) });
}

/** Returns the files of `upgradedPaths`, as this version makes them for a catalog with this base URL. */
function upgradedFiles(baseUrl: string): Map<string, string> {
  const inCatalog = (path: string, text: string) => {
    if (path === '.github/CODEOWNERS') return text.replaceAll(ownOwner, ownerOf(baseUrl));
    const program = 'bin/catalog.js';
    return units.includes(path) ? text.replaceAll(program, `node_modules/${programName}/${program}`) : text;
  };
  return new Map(upgradedPaths.map((path) => [path, inCatalog(path, packaged(starterFiles[path] ?? path))]));
}

/** The paths of all files of a new catalog except package.json, in the order in which they are written. */
export const catalogPaths: readonly string[] = [
  ...upgradedPaths,
  stampFile,
  'README.md',
  ...agentFiles.map((name) => `agents/${agent}/${name}`),
  settingsFile,
];

/**
 * Returns the files of a new catalog, by path. The example agent gets the first free date of the catalog in `folder`,
 * which is `today` if there are no agents yet.
 *
 * Throws OperationError if a file is missing from this installation of the program.
 */
export function catalogFiles(answers: Answers, folder: string, today: string): Map<string, string> {
  const settings = settingsOf(answers, today);
  const date = firstFreeDate(checkContent(readAgents(folder), settings, today), today);
  const copies = upgradedFiles(answers.baseUrl);
  const made: Record<string, () => string> = {
    [settingsFile]: () => toJson(settings),
    [stampFile]: () => stampOf(copies),
    'README.md': () => readme(answers.title),
    [`agents/${agent}/agent.md`]: () =>
      packaged(`starter/agents/${agent}/agent.md`).replace(/^date: .*$/m, `date: ${date}`),
  };
  return new Map(catalogPaths.map((path) => [path, made[path]?.() ?? copies.get(path) ?? packaged(`starter/${path}`)]));
}

function settingsOf({ title, baseUrl, publisher, publisherUrl, timezone }: Answers, today: string) {
  const starter = settingsSource.parse(JSON.parse(packaged(`starter/${settingsFile}`)));
  return {
    ...starter,
    $schema: `./node_modules/${programName}/catalog.config.schema.json`,
    title,
    timezone,
    publisher: { name: publisher, url: publisherUrl },
    feedId: feedIdFor(baseUrl, today),
    baseUrl,
    repository: repositoryOf(baseUrl),
  };
}

/** Returns the GitHub account of a Pages address such as https://ada.github.io/prompts, or else a placeholder. */
function ownerOf(address: string): string {
  const [, account] = /^([a-z\d-]+)\.github\.io$/.exec(new URL(address).hostname) ?? [];
  return account === undefined ? placeholderOwner : `@${account}`;
}

/** Returns the GitHub repository of a Pages address, if it is one. */
function repositoryOf(address: string): string | undefined {
  const { hostname, pathname } = new URL(address);
  const [owner, name] = [ownerOf(address), pathname.split('/')[1] || hostname];
  return owner === placeholderOwner || !/^[\w.-]+$/.test(name)
    ? undefined
    : `https://github.com/${owner.slice(1)}/${name}`;
}

/**
 * Returns a tag: URI (RFC 4151) for the publication at an address. The host and the day identify who chose the name;
 * the path distinguishes catalogs on the same host.
 */
export function feedIdFor(address: string, day: string): string {
  const { hostname, pathname } = new URL(address);
  const host = hostname.replace(/[^A-Za-z0-9.-]/g, '-');
  const path = pathname.replace(/^\/+|\/+$/g, '').replace(/[^\w.~/-]/g, '-');
  return `tag:${host},${day}:${path === '' ? 'catalog' : path}`;
}

function readme(title: string): string {
  const template = Handlebars.compile(packaged('starter/README.md'), { noEscape: true, strict: true });
  return template({
    title: title.replace(/[\\`*_[\]<>#&]/g, '\\$&'),
    program: programName,
    node: programEngines.node.replace(/^>=(\S+)$/, '$1 or later'),
    agent,
  });
}

export function packaged(path: string): string {
  try {
    return readFileSync(join(programFolder, path), 'utf8');
  } catch (error) {
    const place = `this installation of ${programName} (${(error as NodeJS.ErrnoException).code})`;
    throw new OperationError(`${path} is missing from ${place}. Install it again.`, { cause: error });
  }
}

interface UpgradeOptions {
  writes: boolean;
  /** Whether files that both sides changed count as reviewed. */
  keeps: boolean;
  /** Replaces former names of commands and flags in a file. */
  withCurrentNames: (path: string, text: string) => string;
}

/**
 * Compares each file that `catalog init` copied with the file of this version, and with the one of the version that copied
 * it, which is in the stamp. Unless `writes` is false, writes what it returns, so that no change of the editor is lost. A
 * file that the editor removed stays removed. The stamp is written last, so that an interrupted upgrade is completed by the
 * next one.
 *
 * Throws OperationError if a newer program stamped the catalog, if a file with changes of the editor is not committed, and if a
 * file cannot be read or written.
 */
export function upgrade(folder: string, baseUrl: string, options: UpgradeOptions) {
  const present = read(folder, stampFile);
  // Version 0.1.0 stamped nothing.
  const last = parsed(present ?? packaged('starter/files-0.1.0.json'));
  if (isLater(last.version)) {
    throw new OperationError(
      `This catalog was upgraded to version ${last.version}, and this program is ${programVersion}. Install that version, or a later one.`,
    );
  }
  const result = {
    from: last.version,
    to: programVersion,
    /** Files that the editor did not change, and new ones. */
    replaced: [] as string[],
    /** Files in which the changes of the editor and the changes of the program are joined. */
    merged: [] as string[],
    /** Files in which only former names of commands and flags are replaced. */
    renamed: [] as string[],
    /** Files in which both sides changed the same lines, which stay as the editor wrote them; `diff` has all versions of them. */
    changed: [] as { path: string; diff: string }[],
  };
  const files = upgradedFiles(baseUrl);
  const writes = new Map<string, string>();
  for (const [path, text] of files) {
    const own = read(folder, path);
    const original = last.files[path];
    if (own === text || original === text) continue;
    if (own === null ? original === undefined : own === original) {
      result.replaced.push(path);
      writes.set(path, text);
    } else if (own !== null) {
      const merge = original === undefined ? null : merged(own, { original, text });
      // An interrupted upgrade may have joined the changes before.
      if (merge?.text === own) continue;
      const joined = merge === null ? own : merge.text.replace(conflict, '$1');
      if (joined !== own) {
        result.merged.push(path);
        writes.set(path, joined);
      }
      if (merge === null) result.changed.push({ path, diff: diffOf(path, own, text) });
      else if (merge.conflicts) result.changed.push({ path, diff: conflictsIn(merge.text) });
    }
  }
  for (const path of ['package.json', 'README.md', ...workflowsIn(folder)]) {
    const text = writes.get(path) ?? read(folder, path) ?? '';
    const current = options.withCurrentNames(path, text);
    if (current === text) continue;
    if (!writes.has(path)) result.renamed.push(path);
    writes.set(path, current);
  }
  // Until they are reviewed, the next upgrade shows them again.
  for (const { path } of options.keeps ? [] : result.changed) {
    const original = last.files[path];
    if (original === undefined) files.delete(path);
    else files.set(path, original);
  }
  const next = stampOf(files);
  if (next !== present) writes.set(stampFile, next);
  if (options.writes) {
    refuseUncommitted(folder, [...result.merged, ...result.renamed]);
    write(folder, writes);
  }
  return result;
}

function merged(own: string, { original, text }: { original: string; text: string }) {
  // The stamp keeps the original of earlier conflicts, so its version is not always the one that the stamp names.
  const labels = { yours: 'yours', original: 'original', theirs: `version ${programVersion}` };
  return mergeTexts({ yours: own, original, theirs: text }, labels);
}

/** Matches lines that both sides changed, in all three versions, the editor's lines first. */
const conflict = /^<{7} .*\n([\s\S]*?)^\|{7} [\s\S]*?^>{7} .*\n?/gm;

function conflictsIn(text: string): string {
  return maskSecrets((text.match(conflict) ?? []).join(''));
}

function workflowsIn(folder: string): string[] {
  const names = orElse(() => readdirSync(join(folder, '.github/workflows')), []);
  const workflows = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  return workflows.map((name) => `.github/workflows/${name}`);
}

/** Git has what it overwrites. In package.json, only scripts change, and installing a version has just changed it. */
function refuseUncommitted(folder: string, paths: readonly string[]): void {
  const open = paths.filter(
    (path) => path !== 'package.json' && gitOrNull(folder, ['status', '--porcelain', '--ignored', '--', path]) !== '',
  );
  if (open.length === 0) return;
  throw new OperationError(
    `The upgrade would change these files, and they are not committed in Git:\n${open.map((path) => `  ${path}\n`).join('')}Commit them first, so that your version is never lost. Nothing was written.`,
  );
}

function parsed(text: string): z.infer<typeof stamp> {
  try {
    return stamp.parse(parseBoundedJson(text));
  } catch (error) {
    throw new OperationError(
      `${stampFile} is damaged, and nothing was written. Restore it from Git, or delete it: the files then count as files of version 0.1.0, or as changed by you.`,
      { cause: error },
    );
  }
}

function read(folder: string, path: string): string | null {
  try {
    const bytes = readFileSync(join(folder, path));
    if (!isUtf8(bytes)) throw new Error('it is not UTF-8 text');
    // Git may check files out with the line endings of Windows.
    return bytes.toString().replaceAll('\r\n', '\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw prevented(`${path} cannot be read, and nothing was written`, error);
  }
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  try {
    for (const directory of new Set([...files.keys()].map((path) => dirname(join(folder, path))))) {
      makeFolder(directory);
      // Left by an upgrade that was killed.
      for (const name of readdirSync(directory).filter(isDraftName)) rmSync(join(directory, name));
    }
    replaceFiles([...files].map(([path, text]) => [join(folder, path), Buffer.from(text)]));
  } catch (error) {
    const { code, path, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || path === undefined) throw error;
    throw new OperationError(
      `${relative(folder, path)} cannot be written: ${systemReason(code)}. ${syscall === 'rename' ? 'Run the command again once that is fixed; it does the rest.' : 'Nothing was changed.'}`,
      { cause: error },
    );
  }
}
