/**
 * `node --import tsx tools/release-notes.ts v1.2.3`: prints the part of CHANGELOG.md about a version, for its release.
 *
 * It fails if a package.json, the lock file, server.json or the changelog is about another version than the tag.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The notes of the version that `tag` names, from the files in `folder`. Throws an Error that names what differs. */
export function releaseNotes(tag: string, folder = root): string {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const version = tag.replace(/^v/, '');
  const server = JSON.parse(read('server.json'));
  const create = JSON.parse(read('packages/create/package.json'));
  const versions = {
    'package.json': JSON.parse(read('package.json')).version,
    'package-lock.json': JSON.parse(read('package-lock.json')).version,
    'packages/create/package.json': create.version,
    'the program that packages/create starts': create.dependencies['daily-agent-catalog'],
    'server.json': server.version,
    'the package in server.json': server.packages[0].version,
  };
  for (const [place, other] of Object.entries(versions)) {
    if (other !== version) throw new Error(`The tag ${tag} needs version ${version}, and ${place} has ${other}.`);
  }
  const [, notes] = read('CHANGELOG.md').split(new RegExp(`^## ${version.replaceAll('.', '\\.')}(?: .*)?$`, 'm'));
  if (notes === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version}".`);
  return `${notes.split(/^## /m)[0]?.trim()}\n`;
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) {
  process.stdout.write(releaseNotes(process.argv[2] ?? ''));
}
