import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { joinParts } from '../../src/build/write.ts';
import { jsonParts } from '../../src/site/output.ts';

/** Files that consist of parts, so that a build renders only the parts that changed. */

/** Parts whose inputs and texts are given. */
function partsOf(texts: Record<string, string>, rendered: string[] = []) {
  return Object.entries(texts).map(([input, text]) => ({
    input,
    render() {
      rendered.push(input);
      return text;
    },
  }));
}

test('parts that did not change are copied from the last file, wherever they were', () => {
  const last = joinParts(partsOf({ head: 'Agents\n', a: 'Größe\n', b: 'Beta\n', c: 'Gamma\n' }), null);
  assert.is(last.bytes.toString(), 'Agents\nGröße\nBeta\nGamma\n');
  const rendered: string[] = [];
  const next = joinParts(partsOf({ head: '', c: '', new: 'New\n', a: '' }, rendered), last);
  assert.is(next.bytes.toString(), 'Agents\nGamma\nNew\nGröße\n');
  assert.equal(rendered, ['new']);
  assert.equal(next.parts, [
    ['head', 7],
    ['c', 6],
    ['new', 4],
    ['a', 8],
  ]);
});

const noDigest = () => '';
const item = (input: string) => ({ input, value: () => ({ name: input, tags: ['x', 'y'], none: [] }) });

for (const [name, items, expected] of [
  ['no items', [], '{\n  "version": 1,\n  "agents": []\n}\n'],
  [
    'one item',
    [item('a')],
    '{\n  "version": 1,\n  "agents": [\n    {\n      "name": "a",\n      "tags": [\n        "x",\n        "y"\n      ],\n      "none": []\n    }\n  ]\n}\n',
  ],
  [
    'two items',
    [item('a'), { input: 'b', value: () => 'b\n"' }],
    '{\n  "version": 1,\n  "agents": [\n    {\n      "name": "a",\n      "tags": [\n        "x",\n        "y"\n      ],\n      "none": []\n    },\n    "b\\n\\""\n  ]\n}\n',
  ],
] as const) {
  test(`a JSON document of parts with ${name} is formatted like any other`, () => {
    assert.is(joinParts(jsonParts({ version: 1 }, 'agents', items, noDigest), null).bytes.toString(), expected);
  });
}

test('an item that becomes the first of a JSON list, or is not the first anymore, has no copied comma', () => {
  const last = joinParts(jsonParts({}, 'agents', [item('a'), item('b')], noDigest), null);
  for (const items of [[item('b'), item('a')], [item('b')], [item('c'), item('a'), item('b')]]) {
    const next = joinParts(jsonParts({}, 'agents', items, noDigest), last).bytes.toString();
    assert.equal(JSON.parse(next), { agents: items.map(({ value }) => value()) });
  }
});

test('a JSON list without items has the other fields as they are now', () => {
  const last = joinParts(jsonParts({ complete: false }, 'agents', [], noDigest), null);
  const next = joinParts(jsonParts({ complete: true }, 'agents', [], noDigest), last).bytes.toString();
  assert.equal(JSON.parse(next), { complete: true, agents: [] });
});

test.run();
