import MarkdownIt from 'markdown-it';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { embeddedMarkdown } from '../../src/text/embedded-markdown.ts';

/** How an agent works, as Markdown within a longer text: a reader of it sees what the agent's page shows. */

const page = 'https://press.example/catalog/agents/one';
const embed = (source: string) => embeddedMarkdown(source, { slug: 'one', url: page });
const reader = new MarkdownIt({ html: true });

const headings: [name: string, source: string, embedded: string][] = [
  ['the highest gets level 3, the others follow', '# A\n### B\n## C', '### A\n##### B\n#### C'],
  ['no level is past 6', '## A\n##### B\n###### C', '### A\n###### B\n###### C'],
  ['lower ones stay', '#### A\n##### B', '#### A\n##### B'],
  ['what is no heading stays', '#A\n# B\n####### C', '#A\n### B\n####### C'],
  ['in code they are text', '~~~\n# A\n~~~\n    # A\n\n## B', '~~~\n# A\n~~~\n    # A\n\n### B'],
  ['a line with a language closes no fence', '```\n# A\n``` js\n# B\n```\n## C', '```\n# A\n``` js\n# B\n```\n### C'],
  ['a shorter line closes no fence', '````\n```\n# A\n````\n## B', '````\n```\n# A\n````\n### B'],
  ['a longer line closes a fence', '```\n# A\n````\n## B', '```\n# A\n````\n### B'],
  ['another mark closes no fence', '```\n~~~\n# A\n```\n## B', '```\n~~~\n# A\n```\n### B'],
  ['inline code of three backticks opens no fence', '```a``` b\n# A', '```a``` b\n### A'],
  ['spaces before one stay', '   # A\n#\tB', '   ### A\n###\tB'],
  ['they may be in lists and quotes', '- # A\n\n> 1. ## B #', '- ### A\n\n> 1. #### B #'],
  ['underlined ones get number signs', 'A\n===\nB\n---\n\ntext', '### A\n#### B\n\ntext'],
  ['underlined ones of several lines get one', 'A  \nB\\\n `c`\n=\nd', '### A B `c`\nd'],
  ['underlined ones in lists and quotes', '- A\n  ---\n\n> B\n> C\n> ===\n> d', '- #### A\n\n> ### B C\n> d'],
  [
    'number signs at the end of underlined ones stay',
    'C #\n---\n\nF#\n---\n\n\\##\n---',
    '### C \\#\n\n### F#\n\n### \\##',
  ],
  [
    'lines and tables are no headings',
    'a\n\n---\n\n| b |\n| - |\n\n- c\n---\nd',
    'a\n\n---\n\n| b |\n| - |\n\n- c\n---\nd',
  ],
];
for (const [name, source, embedded] of headings) test(`headings: ${name}`, () => assert.is(embed(source), embedded));

const ends: [name: string, source: string, html: string][] = [
  ['a fence', 'a\n\n```js\nb\n~~~', '<p>a</p>\n<pre><code class="language-js">b\n~~~\n</code></pre>'],
  ['a fence with only its first line', 'a\n~~~~', '<p>a</p>\n<pre><code></code></pre>'],
  ['a fence with spaces', '  `````\n  b\n    `````', '<pre><code>b\n  `````\n</code></pre>'],
  ['a fence in a list', '- ```\n  b', '<ul>\n<li>\n<pre><code>b\n\n</code></pre>\n</li>\n</ul>'],
  ['a closed fence', '```\nb\n````  ', '<pre><code>b\n</code></pre>'],
  ['a comment', 'a\n<!-- b', '<p>a\n&lt;!-- b</p>'],
  ['a script', '<script>\nb', '<p>&lt;script&gt;\nb</p>'],
  ['preformatted text', '- <pre>\n  b', '<ul>\n<li>&lt;pre&gt;\nb</li>\n</ul>'],
  ['a style', '> <style>\n> b', '<blockquote>\n<p>&lt;style&gt;\nb</p>\n</blockquote>'],
  ['a text field', '<textarea>', '<p>&lt;textarea&gt;</p>'],
  ['an instruction', '<?php b', '<p>&lt;?php b</p>'],
  ['a declaration', '<!DOCTYPE', '<p>&lt;!DOCTYPE</p>'],
  ['character data', '<![CDATA[ b', '<p>&lt;![CDATA[ b</p>'],
  ['a block', '<div>\n*b*', '<p>&lt;div&gt;\n<em>b</em></p>'],
  ['a comment in a heading', 'a <!-- b\n---', '<h3>a &lt;!-- b</h3>'],
  ['a comment in code', '`a\n<!-- b`', '<p><code>a &lt;!-- b</code></p>'],
  [
    'a comment in a title',
    '[a](https://b.example "c\n<!-- d")',
    '<p><a href="https://b.example" title="c &lt;!-- d">a</a></p>',
  ],
  [
    'a comment in a definition',
    '> [a]: https://b.example "c\n> <!-- d"\n> [a]',
    '<blockquote>\n<p><a href="https://b.example" title="c &lt;!-- d">a</a></p>\n</blockquote>',
  ],
];
for (const [name, source, html] of ends) {
  test(`the next section is a section, even after ${name}`, () => {
    assert.is(reader.render(`${embed(source)}\n\n## Next\n`), `${html}\n<h2>Next</h2>\n`);
  });
}

const texts: [source: string, embedded: string][] = [
  ['a <kbd>b</kbd> <br/> 1 < 2 <3', 'a \\<kbd>b\\</kbd> \\<br/> 1 < 2 <3'],
  ['`<b>` \\<b> &lt;b> <https://a.example> <a@b.example>', '`<b>` \\<b> &lt;b> <https://a.example> <a@b.example>'],
  ['    <b>\n\n```\n<b>\n```', '    <b>\n\n```\n<b>\n```'],
  ['| <b> \\| <i> | `<u>` |\n|-|-|\n| <b> | <b> |', '| \\<b> \\| \\<i> | `<u>` |\n|-|-|\n| \\<b> | \\<b> |'],
  ['[a](<b\n\n[a]:<b', '[a]\\(\\<b\n\n[a]\\:\\<b'],
  ['a\n<https://b.example>\n<i>c', 'a\n<https://b.example>\n\\<i>c'],
];
for (const [source, embedded] of texts) {
  test(`HTML is text: ${JSON.stringify(source)}`, () => {
    assert.is(embed(source), embedded);
    assert.is(reader.render(embedded), new MarkdownIt().render(source));
  });
}

const links: [name: string, source: string, embedded: string][] = [
  ['a path in the catalog', '[a](/agents/two)', '[a](https://press.example/catalog/agents/two)'],
  ['the home page', '[a](/)', '[a](https://press.example/catalog/)'],
  ['another agent, with a title', '[a]( two?b=1#c "d" )', '[a]( https://press.example/catalog/agents/two?b=1#c "d" )'],
  ['a heading of the text', '[a](#b-c)\n### B c', `[a](${page}#how-it-works-b-c)\n### B c`],
  ['a part of the page', '[a](#sample)', `[a](${page}#sample)`],
  ['a target in brackets', '[a](</b c>)', '[a](<https://press.example/catalog/b%20c>)'],
  ['a target with parentheses', '[a](/b(c))', '[a](<https://press.example/catalog/b(c)>)'],
  ['a target with an entity', '[a](/b?c&amp;copy;)', '[a](https://press.example/catalog/b?c\\&copy;)'],
  ['a definition', '[a] [b][a]\n\n[a]: /c\n[A]: /d', '[a] [b][a]\n\n[a]: https://press.example/catalog/c\n[A]: /d'],
  ['a definition in a quote', '> [a]:\n> </b> "c"\n\n[a]', '> [a]: <https://press.example/catalog/b> "c"\n\n[a]'],
  [
    'links in a table',
    '| `\\|` [a](/b) |\n|-|\n| [a](/b) |',
    '| `\\|` [a](https://press.example/catalog/b) |\n|-|\n| [a](https://press.example/catalog/b) |',
  ],
  [
    'links in other markup',
    '- *[`a`](/b)*\n  [a\n  c](/b)',
    '- *[`a`](https://press.example/catalog/b)*\n  [a\n  c](https://press.example/catalog/b)',
  ],
  ['a link in a heading', '[a](/b)\n===', '### [a](https://press.example/catalog/b)'],
  ['an image', '[![a](/b)](/c)', '[![a](https://press.example/catalog/b)](https://press.example/catalog/c)'],
];
for (const [name, source, embedded] of links) {
  test(`links are absolute: ${name}`, () => assert.is(embed(source), embedded));
}

test('absolute links, links in code and what is no link stay', () => {
  for (const source of [
    '[a](https://b.example) [a](HTTP://b.example/c%20d "1 2 e") <https://b.example> [a](mailto:b@c.example)',
    '`[a](/b)`\n\n```\n[a](/b)\n[a]: /b\n```\n\n    [a](/b)',
    '\\[a](/b) [a](/b c) [a][b] [a] (/b) /b',
    '[a](//b.example) [a](javascript:b)',
  ]) {
    assert.is(embed(source), source);
  }
});

test('a text of any length takes little processor time', () => {
  for (const part of ['<a ', ' ', '](', '](<a', '[a]:', '| ', '`', '\n<a', '[a](/b)']) {
    const start = process.cpuUsage();
    embed(`<b> ${part.repeat(65_000 / part.length)}`);
    const { user, system } = process.cpuUsage(start);
    // A fifth of a second at most, or minutes if the time were quadratic.
    assert.ok((user + system) / 1000 < 5_000, JSON.stringify(part));
  }
});

test.run();
