import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import { firstFreeDate } from '../../catalog/consistency/calendar-rules.ts';
import { checkContent } from '../../catalog/load.ts';
import { readAgents } from '../../catalog/read.ts';
import { settingsFile } from '../../catalog/settings.ts';
import { OperationError } from '../../errors.ts';
import { programEngines, programFolder, programName } from '../../program.ts';
import { settingsSource } from '../../schema/settings.ts';
import type { Answers } from './answers.ts';

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
  'deploy/logrotate.conf',
];

/** The code owner of the program's repository, as written in its CODEOWNERS. */
const ownOwner = '@daily-agent-catalog/maintainers';

/** The placeholder for the code owner of a new catalog. */
export const placeholderOwner = '@OWNER';

/** The example agent: its slug and its files, below starter/agents. */
const agent = 'handover-gap-finder';
const agentFiles = ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'];

/** The paths of all files of a new catalog except package.json, in the order in which they are written. */
export const catalogPaths: readonly string[] = [
  '.gitattributes',
  '.gitignore',
  '.dockerignore',
  'README.md',
  ...shared,
  '.github/CODEOWNERS',
  'deploy/Dockerfile',
  'deploy/catalog.service',
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
  const made: Record<string, () => string> = {
    [settingsFile]: () => `${JSON.stringify(settings, null, 2)}\n`,
    'README.md': () => readme(answers.title),
    // npm excludes .gitignore files from packages, and reads them as lists of further files to exclude.
    '.gitignore': () => packaged('starter/gitignore'),
    '.gitattributes': () => packaged('starter/gitattributes'),
    '.dockerignore': () => packaged('starter/dockerignore'),
    '.github/CODEOWNERS': () => packaged('.github/CODEOWNERS').replaceAll(ownOwner, ownerOf(answers.baseUrl)),
    'deploy/Dockerfile': () => packaged('starter/deploy/Dockerfile'),
    'deploy/catalog.service': () =>
      packaged('deploy/catalog.service').replaceAll('bin/catalog.js', `node_modules/${programName}/bin/catalog.js`),
    [`agents/${agent}/agent.md`]: () =>
      packaged(`starter/agents/${agent}/agent.md`).replace(/^date: .*$/m, `date: ${date}`),
  };
  return new Map(
    catalogPaths.map((path) => [
      path,
      made[path]?.() ?? packaged(path.startsWith('agents/') ? `starter/${path}` : path),
    ]),
  );
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
export function ownerOf(address: string): string {
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

function packaged(path: string): string {
  try {
    return readFileSync(join(programFolder, path), 'utf8');
  } catch (error) {
    throw new OperationError(
      `${path} is missing from this installation of ${programName} (${(error as NodeJS.ErrnoException).code}). Install it again.`,
      { cause: error },
    );
  }
}
