import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheerioAPI, load } from 'cheerio';
import * as assert from 'uvu/assert';
import { catalog } from './process.ts';

/** Runs `catalog votes --html` with further arguments, and returns the page. */
export async function pageOf(folder: string, ...args: string[]) {
  const path = join(folder, 'votes.html');
  const { code, stdout, stderr } = await catalog(['votes', '--cwd', folder, '--html', path, ...args]);
  assert.is(code, 0, stderr);
  assert.is(stdout, `${path}\n`);
  const text = readFileSync(path, 'utf8');
  return { path, text, $: load(text) };
}

/** The texts of the cells of a table, row by row. */
export const cellsOf = ($: CheerioAPI, table: number) =>
  $('table')
    .eq(table)
    .find('tr')
    .toArray()
    .map((row) =>
      $(row)
        .children()
        .toArray()
        .map((cell) => $(cell).text()),
    );
/** The values of an attribute of all elements that the selector finds. */
export const numbers = ($: CheerioAPI, selector: string, name: string) =>
  $(selector)
    .toArray()
    .map((element) => Number($(element).attr(name)));
