import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { markdownRenderer } from '../../src/site/shared/markdown-html.ts';
import { addresses } from '../../src/site/site.ts';
import { plainText } from '../../src/text/markdown-text.ts';

/** Readers are safe from HTML and dangerous links in an agent's text, and its links lead to the right pages. */

const { forPage, forFeed, forAnswer, forMail } = markdownRenderer(
  addresses({ baseUrl: 'https://press.example/catalog', runtimeUrl: null }),
);
const page = 'https://press.example/catalog/agents/one';

const rows: [name: string, source: string, onPage: string, inFeed?: string][] = [
  ['raw HTML is shown as text', '<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['inline HTML is shown as text', 'a <img src=x onerror=alert(1)> b', '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>'],
  ['a javascript: link stays text', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  ['also with other letters and escapes', '[x](JaVaScript&colon;alert(1))', '<p>[x](JaVaScript:alert(1))</p>'],
  ['a data: link stays text', '[x](data:text/html,hi)', '<p>[x](data:text/html,hi)</p>'],
  [
    'a link out is kept',
    '[x](https://example.org/a?b=1&c=2)',
    '<p><a href="https://example.org/a?b=1&amp;c=2">x</a></p>',
  ],
  [
    'a leading slash means the root of the catalog',
    '[x](/archive)',
    '<p><a href="/catalog/archive">x</a></p>',
    '<p><a href="https://press.example/catalog/archive">x</a></p>',
  ],
  [
    'a relative link starts from the page',
    '[x](two)',
    '<p><a href="/catalog/agents/two">x</a></p>',
    '<p><a href="https://press.example/catalog/agents/two">x</a></p>',
  ],
  [
    'a link to a part of another page keeps the part and the query',
    '[x](two?a=1#why) [y](https://press.example/catalog/about?a=1#part)',
    '<p><a href="/catalog/agents/two?a=1#why">x</a> <a href="/catalog/about?a=1#part">y</a></p>',
    '<p><a href="https://press.example/catalog/agents/two?a=1#why">x</a> <a href="https://press.example/catalog/about?a=1#part">y</a></p>',
  ],
  [
    'a link to the root is one to the home page',
    '[x](/)',
    '<p><a href="/catalog/">x</a></p>',
    '<p><a href="https://press.example/catalog/">x</a></p>',
  ],
  [
    'a whole address in the catalog becomes a path',
    '[x](https://press.example/catalog)',
    '<p><a href="/catalog">x</a></p>',
    '<p><a href="https://press.example/catalog">x</a></p>',
  ],
  [
    "an address that only starts like the catalog's is kept",
    '[x](https://press.example/catalog-two)',
    '<p><a href="https://press.example/catalog-two">x</a></p>',
  ],
  [
    'a link to a part of the page stays on it',
    '[x](#why)',
    '<p><a href="#why">x</a></p>',
    `<p><a href="${page}#why">x</a></p>`,
  ],
  ['a protocol-relative link stays text', '[x](//example.org/a)', '<p>[x](//example.org/a)</p>'],
  ['a link that opens a program stays text', '[x](vscode:extension/a.b)', '<p>[x](vscode:extension/a.b)</p>'],
  ['also as an autolink', '<ms-msdt:/id>', '<p>&lt;ms-msdt:/id&gt;</p>'],
  ['also as a reference', '[x]\n\n[x]: intent://a#Intent;end', '<p>[x]</p>\n<p>[x]: intent://a#Intent;end</p>'],
  ['also with a tab in its scheme', '[x](java&Tab;script:alert(1))', '<p>[x](java\tscript:alert(1))</p>'],
  ['a link with a user name stays text', '[x](https://a.example@b.example)', '<p>[x](https://a.example@b.example)</p>'],
  [
    'a link with a backslash after its scheme stays text',
    '[x](https:\\evil.example)',
    '<p>[x](https:\\evil.example)</p>',
  ],
  ['a mail address is a link', '<a@b.example>', '<p><a href="mailto:a@b.example">a@b.example</a></p>'],
  [
    'an image is a link to it',
    '![A *cat*](https://b.example/c.png)',
    '<p><a href="https://b.example/c.png">A *cat*</a></p>',
  ],
  [
    'an image without a text shows its address',
    '![](https://b.example/c.png)',
    '<p><a href="https://b.example/c.png">https://b.example/c.png</a></p>',
  ],
  [
    'an image in a link is its text',
    '[![Cat](https://b.example/c.png)](https://a.example)',
    '<p><a href="https://a.example/">Cat</a></p>',
  ],
  ['an image of another scheme stays text', '![x](data:image/png,a)', '<p>![x](data:image/png,a)</p>'],
  [
    "headings start below the page's own",
    '# Why\n## How',
    '<h3 id="how-it-works-why">Why</h3>\n<h4 id="how-it-works-how">How</h4>',
    '<h4>Why</h4>\n<h5>How</h5>',
  ],
  [
    'the id of a heading has its words in any language, and one without words has an id too',
    '# Über 日本\n# !',
    '<h3 id="how-it-works-über-日本">Über 日本</h3>\n<h3 id="how-it-works-section">!</h3>',
    '<h4>Über 日本</h4>\n<h4>!</h4>',
  ],
  [
    'a table is in a box that scrolls, and no cell has an inline style, which the security policy blocks',
    '|`A` & b|C|D|\n|:-|:-:|-:|\n|1|2|3|',
    [
      '<div class="scroll" role="group" aria-label="Table: A &amp; b, C, D" tabindex="0">',
      '<table>\n<thead>\n<tr>',
      '<th class="align-left" scope="col"><code>A</code> &amp; b</th>\n<th class="align-center" scope="col">C</th>\n<th class="align-right" scope="col">D</th>',
      '</tr>\n</thead>\n<tbody>\n<tr>',
      '<td class="align-left">1</td>\n<td class="align-center">2</td>\n<td class="align-right">3</td>',
      '</tr>\n</tbody>\n</table>\n</div>',
    ].join('\n'),
    [
      '<table>\n<thead>\n<tr>',
      '<th style="text-align:left"><code>A</code> &amp; b</th>\n<th style="text-align:center">C</th>\n<th style="text-align:right">D</th>',
      '</tr>\n</thead>\n<tbody>\n<tr>',
      '<td style="text-align:left">1</td>\n<td style="text-align:center">2</td>\n<td style="text-align:right">3</td>',
      '</tr>\n</tbody>\n</table>',
    ].join('\n'),
  ],
  [
    'a table without names of columns is called a table',
    '| |\n|-|\n|1|',
    '<div class="scroll" role="group" aria-label="Table" tabindex="0">\n<table>\n<thead>\n<tr>\n<td></td>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table>\n</div>',
    '<table>\n<thead>\n<tr>\n<th></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table>',
  ],
  [
    'equal headings get different ids',
    '## Why\n## Why',
    '<h3 id="how-it-works-why">Why</h3>\n<h3 id="how-it-works-why-2">Why</h3>',
    '<h4>Why</h4>\n<h4>Why</h4>',
  ],
  [
    'a link with the words of a heading leads to it',
    `[x](#über-uns) [x](one#why) [x](${page}#why) [x](two#why)\n### Über uns\n### Why`,
    '<p><a href="#how-it-works-%C3%BCber-uns">x</a> <a href="/catalog/agents/one#how-it-works-why">x</a> <a href="/catalog/agents/one#how-it-works-why">x</a> <a href="/catalog/agents/two#why">x</a></p>\n<h3 id="how-it-works-über-uns">Über uns</h3>\n<h3 id="how-it-works-why">Why</h3>',
    `<p><a href="${page}#how-it-works-%C3%BCber-uns">x</a> <a href="${page}#how-it-works-why">x</a> <a href="${page}#how-it-works-why">x</a> <a href="https://press.example/catalog/agents/two#why">x</a></p>\n<h4>Über uns</h4>\n<h4>Why</h4>`,
  ],
];

for (const [name, source, onPage, inFeed = onPage] of rows) {
  test(name, () => {
    assert.is(forPage(source, page).trim(), onPage);
    assert.is(forFeed(source, page).trim(), inFeed);
  });
}

const twinRows: [text: string, inMarkdown: string][] = [
  ['Press [enter](vscode:x)', 'Press \\[enter\\](vscode:x)'],
  ['![](https://b.example/c.png)', '!\\[\\](https://b.example/c.png)'],
  ['<img src=x> and `<b>`', '\\<img src=x> and \\`\\<b>\\`'],
  ['one\n# two\n~~~', 'one\n\\# two\n\\~\\~\\~'],
];
for (const [text, inMarkdown] of twinRows) {
  test(`plain text stays plain in the Markdown versions: ${JSON.stringify(text)}`, () => {
    assert.is(plainText(text), inMarkdown);
    const html = forPage(plainText(text), page);
    assert.not.match(html, /<(?:a|img|code|h\d|pre)\b/);
  });
}

test('an answer keeps its lines, its trees and its tables, and none of its HTML or scripts runs', () => {
  const answer = (source: string) => forAnswer(source, page);
  assert.is(answer('Title: a\nWhy: b'), '<p>Title: a<br>\nWhy: b</p>\n');
  assert.is(
    answer('Roots\n- R1: no\nDrift\n- A5\n  more'),
    '<p>Roots</p>\n<ul>\n<li>R1: no</li>\n</ul>\n<p>Drift</p>\n<ul>\n<li>A5<br>\nmore</li>\n</ul>\n',
  );
  const table = '| a | b |\n|---|---|\n| 1 | 2 |\n';
  assert.is(
    answer(`${table}Next: c\nThen: d`),
    `${answer(table)}<p>Next: c<br>\nThen: d</p>\n`,
    'a line after a table is no row of it',
  );
  assert.is(answer(`\`\`\`\n${table}b\n\`\`\``), `<pre><code>${table}b\n</code></pre>\n`);
  assert.is(answer('a | b\nc'), '<p>a | b<br>\nc</p>\n');
  assert.is(answer('R1\n  A3\n    <A1>'), '<pre><code>R1\n  A3\n    &lt;A1&gt;\n</code></pre>\n');
  assert.is(answer('# D-1\n\n```\n- a\nb\n```'), '<h3>D-1</h3>\n<pre><code>- a\nb\n</code></pre>\n');
  assert.is(
    answer('<script>alert(1)</script> <img src=x onerror=alert(1)> [a](javascript:alert(1))'),
    '<p>&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(1)&gt; [a](javascript:alert(1))</p>\n',
  );
  const wide = ['|', ...Array.from({ length: 20 }, (_, at) => `c${at} |`)].join('');
  assert.is(answer(`${wide}\n${wide.replace(/c\d+ /g, '---')}\n${wide}`).match(/<th scope="col">/g)?.length, 20);
});

test('an answer keeps lines that start with a name in brackets, unless a link has this name', () => {
  const answer =
    'Found:\n- [Auth]: none\n- > [Style]: weak\n\n[Cost]: unknown\n[Owner]:\nAda\n\nSee [the notes][1].\n\n[1]: https://x.example/a\n[2]: https://x.example/b\n';
  const html =
    '<p>Found:</p>\n<ul>\n<li>[Auth]: none</li>\n<li>\n<blockquote>\n<p>[Style]: weak</p>\n</blockquote>\n</li>\n</ul>\n' +
    '<p>[Cost]: unknown<br>\n[Owner]:<br>\nAda</p>\n<p>See <a href="https://x.example/a">the notes</a>.</p>\n<p>[2]: https://x.example/b</p>\n';
  assert.equal([forAnswer(answer, page), forMail(answer, page)], [html, html]);
  assert.is(forAnswer('Sum\n  [Cost]: 3', page), '<pre><code>Sum\n  [Cost]: 3\n</code></pre>\n');
  assert.is(forAnswer('```\n[Cost]: 3\n```', page), '<pre><code>[Cost]: 3\n</code></pre>\n');
});

test('links of an answer to its own headings or to files of the reader are text, and others stay links', () => {
  const answer =
    '[Use](#use) **[a.ts](src/a.ts)** [up](../b) [root](/about) ![p](p.png) [w](https://x.example/a) [m](mailto:a@x.example)';
  const links =
    'Use <strong>a.ts</strong> up root p <a href="https://x.example/a">w</a> <a href="mailto:a@x.example">m</a>';
  assert.is(forAnswer(answer, page), `<p>${links}</p>\n`);
  assert.is(forMail(answer, page), `<p>${links}</p>\n`);
});

test('in an email, each cell of a table with five columns or wide words has the name of its column, unless one is empty', () => {
  const labels = (columns: readonly string[], cells: readonly string[]) => {
    const table = [columns, columns.map(() => '-'), cells].map((row) => `| ${row.join(' | ')} |\n`).join('');
    return [...forMail(table, page).matchAll(/<span class="label quiet" [^>]*>([^<]*)<\/span>([^<]*)/g)].map(
      ([, name, text]) => `${name}${text}`,
    );
  };
  assert.equal(labels(['a', '', 'c', 'd', 'e'], ['1', '2', '', '4', '5']), ['a: 1', 'd: 4', 'e: 5']);
  assert.equal(labels(['a', 'b', 'c', 'd'], ['1', '2', '3', '4']), []);
  const words = ['reconciliation', 'commissioned', 'sentences'];
  assert.equal(labels(['a', 'b', 'c'], words), ['a: reconciliation', 'b: commissioned', 'c: sentences']);
});

test('the time to render an answer that repeats a heading grows with its length, not with its square', () => {
  const before = process.cpuUsage();
  assert.match(forPage('# A\n'.repeat(8_000), page), 'id="how-it-works-a-8000"');
  const { user } = process.cpuUsage(before);
  assert.ok(user < 2_000_000, `${user} µs`);
});

test.run();
