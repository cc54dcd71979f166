import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Handlebars from 'handlebars';
import { OperationError } from '../../lib/errors.ts';
import { programEngines, programFolder, programName, programVersion } from '../../program.ts';
import { toJson } from '../../schema/documents.ts';
import { settingsSource } from '../../schema/settings.ts';
import { slugFrom, titleFrom } from '../../schema/slugs.ts';
import { firstFreeDate } from '../check/calendar.ts';
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
export const stampFile = '.catalog/files.json';

/** Returns the content of `stampFile`: the version of the program, and the text of each file by its path. */
export function stampOf(files: ReadonlyMap<string, string>): string {
  return toJson({ version: programVersion, files: Object.fromEntries(files) });
}

/** Returns the files of `upgradedPaths`, as this version makes them for a catalog with this base URL. */
export function upgradedFiles(baseUrl: string): Map<string, string> {
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
