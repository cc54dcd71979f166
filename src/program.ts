import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder in which this program is installed, with a separator at its end. */
export const programFolder = fileURLToPath(new URL('../', import.meta.url));

/** Everything of this program that decides what it renders: its code, its templates, and what npm installed for it. */
export const programFiles = [
  fileURLToPath(new URL('.', import.meta.url)),
  ...['templates', 'lib/browser', 'node_modules/.package-lock.json', '../.package-lock.json'].map((name) =>
    join(programFolder, name),
  ),
];

const described = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  name: string;
  version: string;
  homepage: string;
  engines: { node: string };
};

/** The name of this program on npm, from its package.json. */
export const programName = described.name;

/** The version of this program, from its package.json. */
export const programVersion = described.version;

/** Whether a version is later than the version of this program. A pre-release such as 0.3.0-beta is earlier than 0.3.0. */
export function isLater(version: string): boolean {
  // U+FFFF sorts after every other character.
  const [text = '', own = ''] = [version, programVersion].map((each) => each.replace(/^[^-]+$/, '$&-\uffff'));
  return text.localeCompare(own, 'en', { numeric: true }) > 0;
}

/** The versions of Node.js that the program supports, as a range in npm syntax. */
export const programEngines = described.engines;

/** The address of a file of this program that people can read in a browser, such as a page of docs/. */
export function programPage(path: string): string {
  return `${described.homepage.replace(/#.*$/, '')}/blob/HEAD/${path}`;
}
