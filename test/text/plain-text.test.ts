import MarkdownIt from 'markdown-it';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { markdownText } from '../../src/publish/github.ts';
import type { AgentDocument } from '../../src/schema/documents.ts';
import { agentSections } from '../../src/text/agent-sections.ts';
import { markdownFindings } from '../../src/text/markdown.ts';
import { inlineText, listItem, plainText, quote, shortened } from '../../src/text/markdown-text.ts';

/** Texts of agents within Markdown: a reader of the Markdown sees the same text, and nothing of it becomes markup. */

const parser = new MarkdownIt({ html: true });

/** The parts of an agent with this problem, which is a short text, as Markdown. */
function sectionsOf(problem: string) {
  const lists = { steps: [], demo: [], runtimes: [], tags: [] };
  const document = { problem, ...lists, categoryLabel: '', difficulty: '', sampleInput: '', videoUrl: null };
  return agentSections(document as unknown as AgentDocument, { sampleOutput: '', config: null, howItWorks: '' });
}

const inline: [text: string, html: string][] = [
  ['Say "no" to `rm -rf *` and "`x`".', 'Say “no” to <code>rm -rf *</code> and “<code>x</code>”.'],
  ["It's Ada's 'own' list.", 'It’s Ada’s ‘own’ list.'],
  ['A 5" pipe, (“old”) ("new")', 'A 5&quot; pipe, (“old”) (“new”)'],
  ['`<b>"x"</b>` <b>', '<code>&lt;b&gt;&quot;x&quot;&lt;/b&gt;</code> &lt;b&gt;'],
  ['`a` - b', '<code>a</code> - b'],
  ['one ` alone, *no* list', 'one ` alone, *no* list'],
];
for (const [text, html] of inline) {
  test(`readers of the Markdown see code and typographic quotes: ${text}`, () => {
    assert.is(parser.renderInline(sectionsOf(text).problem.at(-1) ?? ''), html);
    const plain = html
      .replace(/<\/?code>/g, '`')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"');
    assert.is(inlineText(text), plain);
  });
}

const texts = [
  'plain, with (brackets) and a "quote"',
  '*bold* and _lean_ and snake_case and _',
  '`code` and \\backslash',
  '[a](https://b.example) ![c](d) [e]: f',
  '<b>bold</b> and a < b',
  '&lt; &#60; &amp; AT&T',
  '# heading',
  '   ## heading',
  '> quote',
  '- item',
  '+ item',
  '-',
  '--- ',
  '1. item',
  '12) item',
  '1.5 meters',
  '~~~ fence',
  '=== line',
  'a\n===',
  'a\n---',
  'Title\n=',
  'Title\n==  ',
  'Title\n-',
  '-\titem',
  '+\titem',
  '1.\tone',
  '12)\ttwelve',
  '    code',
  '\tcode',
  '~~deleted~~',
  'a | b\n--- | ---',
  'a|b\n-|-',
  '| a |\n| :-: |',
  'a | b\n:- | -:',
];
for (const text of texts) {
  test(`${JSON.stringify(text)} is plain text for a reader of Markdown`, () => {
    const html = parser.render(plainText(text)).trim();
    assert.is(html, `<p>${parser.utils.escapeHtml(text.trim())}</p>`);
  });
}

test('a paragraph that is indented is no code', () => {
  assert.is(parser.render(plainText('one\n\n    two\r\n\r\n\t- three')), '<p>one</p>\n<p>two</p>\n<p>- three</p>\n');
});

test('a number sign at the end of a title stays there', () => {
  for (const title of ['Learn C #', 'Learn C ##', '#', 'F# and C#']) {
    assert.is(parser.render(`# ${plainText(title)}`).trim(), `<h1>${title}</h1>`);
  }
});

test('every paragraph of a text belongs to its item of a list, and to its quote', () => {
  const text = 'one\n\n1.\ttwo\n> three\n';
  const inside = '<p>one</p>\n<p>1.\ttwo\n&gt; three</p>';
  const items = ['-', '9.', '10.'].map((marker) => parser.render(listItem(marker, plainText(text))));
  assert.equal(items, [
    `<ul>\n<li>\n${inside}\n</li>\n</ul>\n`,
    `<ol start="9">\n<li>\n${inside}\n</li>\n</ol>\n`,
    `<ol start="10">\n<li>\n${inside}\n</li>\n</ol>\n`,
  ]);
  assert.is(parser.render(quote(plainText(text))), `<blockquote>\n${inside}\n</blockquote>\n`);
});

test('what needs no escape gets none', () => {
  for (const text of ['snake_case', 'a - b', 'a # b', '1.5', 'AT&T', 'x > y', 'a~b', 'a == b', 'a: b', '-5', '| a'])
    assert.is(plainText(text), text);
});

const onGitHub: [text: string, shown: string][] = [
  ['a & b', 'a &amp; b'],
  ['~~x~~ $y$ :z:', '\\~\\~x\\~\\~ \\$y\\$ \\:z\\:'],
  ['!{#+}', '\\!\\{\\#\\+\\}'],
  ['a\nb', 'a b'],
  ['me@x.org and @', 'me@&#8203;x&#46;org and @'],
  ['*_`\\', '\\*\\_\\`\\\\'],
];
for (const [text, shown] of onGitHub) {
  test(`${JSON.stringify(text)} is plain text on GitHub`, () => assert.is(markdownText(text), shown));
}

const targets: [target: string, isAllowed: boolean][] = [
  ['https://a.example/b?c#d', true],
  ['HTTP://a.example', true],
  ['mailto:a@b.example', true],
  ['MAILTO:a@b.example', true],
  ['/archive?tag=a:b', true],
  ['other-agent', true],
  ['#part:1', true],
  ['?q=a:b', true],
  ['//a.example/b', false],
  ['https://me:word@a.example', false],
  ['https:a', false],
  ['javascript:alert(1)', false],
  ['JavaScript:alert(1)', false],
  ['data:text/html,x', false],
  ['vscode:open', false],
  ['a\\b', false],
  ['file:///etc', false],
];
for (const [target, isAllowed] of targets) {
  test(`a link to ${target} is ${isAllowed ? 'allowed' : 'refused'}`, () => {
    const found = markdownFindings(`Text with [a link](<${target.replaceAll('\\', '\\\\')}>).`);
    assert.equal(
      found.map(({ code }) => code),
      isAllowed ? [] : ['markdown/link'],
    );
  });
}

test('of many refused links, the first twenty are reported', () => {
  assert.is(markdownFindings('[a](data:x) '.repeat(20)).length, 20);
  assert.is(markdownFindings('[a](data:x) '.repeat(21)).length, 20);
});

const cuts: [text: string, most: number, shown: string][] = [
  ['one two', 7, 'one two'],
  ['one two three', 8, 'one…'],
  ['one two three', 9, 'one two…'],
  ['unbreakable', 5, 'unbr…'],
  ['🎈🎈🎈', 3, '🎈🎈🎈'],
  ['🎈🎈🎈🎈', 3, '🎈🎈…'],
];
for (const [text, most, shown] of cuts) {
  test(`${JSON.stringify(text)} in ${most} characters is ${JSON.stringify(shown)}`, () => {
    assert.is(shortened(text, most), shown);
  });
}

test.run();
