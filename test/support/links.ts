import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The links of a Markdown file to other files, and to headings of Markdown files, that lead nowhere. `path` is from
 * `folder`; links with a scheme are left out.
 */
export function brokenLinks(folder: string, path: string): string[] {
  const prose = readFileSync(join(folder, path), 'utf8').replace(/^```.*?^```$/gms, '');
  const targets = [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', heading] = target.split('#');
      const to = file === '' ? join(folder, path) : join(folder, dirname(path), file);
      return !existsSync(to) || (heading !== undefined && !headingsOf(to).includes(heading));
    });
}

/** The names that GitHub gives to the headings of a Markdown file. */
function headingsOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').match(/^#{1,6} .*$/gm) ?? [];
  return lines.map((line) =>
    line
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
