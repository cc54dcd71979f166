import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fenced, markdownText } from '../../../src/publish/github.ts';

/** Text of agents has no special meaning in GitHub issues and summaries. */

const fences: [text: string, fence: string][] = [
  ['plain', '```'],
  ['a `b` c', '```'],
  ['```', '````'],
  ['a\n`````\nb ``` c', '``````'],
];
for (const [text, fence] of fences) {
  test(`nothing closes the fence around ${JSON.stringify(text)}`, () => {
    assert.is(fenced(text), `${fence}text\n${text}\n${fence}`);
  });
}

const texts: [text: string, markdown: string][] = [
  ['<b> & co', '&lt;b&gt; &amp; co'],
  ['a | b', 'a \\| b'],
  ['[a](b)', '\\[a\\]\\(b\\)'],
  ['@press/editors', '@&#8203;press/editors'],
  ['#12', '\\#12'],
  ['www.example.com', 'www&#46;example&#46;com'],
  ['The end.', 'The end.'],
];
for (const [text, markdown] of texts) {
  test(`${text} is only text in Markdown`, () => assert.is(markdownText(text), markdown));
}

test.run();
