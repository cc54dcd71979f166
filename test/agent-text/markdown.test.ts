import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { markdownFindings } from '../../src/agent-text/markdown.ts';

test('each refused link is found where it is, even one that is repeated', () => {
  const source = '[a](data:x) and [b](data:x)\n\n[c](data:x), ![d](/e.png) ![f](/e.png)\n';
  assert.equal(
    markdownFindings(source).map(({ code, offset, length }) => [code, offset, source.slice(offset, offset + length)]),
    [
      ['markdown/link', 4, 'data:x'],
      ['markdown/link', 20, 'data:x'],
      ['markdown/link', 33, 'data:x'],
      ['markdown/image', 47, '/e.png'],
      ['markdown/image', 60, '/e.png'],
    ],
  );
});

test.run();
