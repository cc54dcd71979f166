import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled } from '../support/catalog.ts';

/** docs/editorial.md takes prompts apart line by line: it quotes them as they are today. */

const read = (path: string) => readFileSync(new URL(path, `file://${bundled}/`), 'utf8');
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

for (const [title, slug] of [
  ['Claim Ladder', 'claim-ladder'],
  ['Jargon Meter', 'jargon-meter'],
] as const) {
  test(`every line of ${title} that the page explains is in the prompt`, () => {
    const prompt = oneLine(read(`agents/${slug}/prompt.txt`));
    const [, section = ''] = read('docs/editorial.md').split(`\n## ${title}, line by line\n`);
    const [own = ''] = section.split('\n## ');
    const quotes = [...own.matchAll(/(?:^> .*\n)+/gm)].map(([lines]) => oneLine(lines.replaceAll(/^> /gm, '')));
    assert.ok(quotes.length >= 8, String(quotes.length));
    const pieces = quotes.flatMap((quote) => quote.split('…').map(oneLine));
    assert.equal(
      pieces.filter((piece) => !prompt.includes(piece)),
      [],
    );
  });
}

test.run();
