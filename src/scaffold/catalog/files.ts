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

/** Files of the program's own repository that a catalog gets byte for byte. */
const shared = [
  '.github/workflows/validate.yml',
  '.github/workflows/publish.yml',
  '.github/ISSUE_TEMPLATE/config.yml',
  '.github/ISSUE_TEMPLATE/propose-an-agent.yml',
  '.github/ISSUE_TEMPLATE/report-a-fault.yml',
  '.github/PULL_REQUEST_TEMPLATE.md',
  '.github/dependabot.yml',
  'deploy/logrotate.conf',
];

/** Who owns the program's own repository, in its CODEOWNERS. */
const ownOwner = '@daily-agent-catalog/maintainers';

/** The owner that a new catalog's CODEOWNERS names until somebody replaces it. */
export const placeholderOwner = '@OWNER';

/** The example agent: its slug and its files, below starter/agents. */
const agent = 'handover-gap-finder';
const agentFiles = ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'];

/** The paths of all files of a new catalog but package.json, in the order in which they are written. */
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
 * The files of a new catalog by path. The example agent comes out on the first free date of the catalog in `folder`,
 * which is `today` where there are no agents yet.
 *
 * Throws OperationError when this installation of the program lacks a file.
 */
export function catalogFiles(answers: Answers, folder: string, today: string): Map<string, string> {
  const settings = settingsOf(answers, today);
  const date = firstFreeDate(checkContent(readAgents(folder), settings, today), today);
  const made: Record<string, () => string> = {
    [settingsFile]: () => `${JSON.stringify(settings, null, 2)}\n`,
    'README.md': () => readme(answers.title),
    // npm leaves files called .gitignore out of packages and reads them as lists of what else to leave out.
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
  };
}

/** The GitHub account whose Pages serve an address such as https://ada.github.io/prompts, else a placeholder. */
export function ownerOf(address: string): string {
  const [, account] = /^([a-z\d-]+)\.github\.io$/.exec(new URL(address).hostname) ?? [];
  return account === undefined ? placeholderOwner : `@${account}`;
}

/**
 * A tag: URI (RFC 4151) for the publication at an address: its host and the day, by whom the name was chosen, then its
 * path, which tells apart two catalogs of one host.
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
      `This installation of ${programName} lacks ${path} (${(error as NodeJS.ErrnoException).code}); install it again.`,
      { cause: error },
    );
  }
}
