import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { isConfigFilename } from '../../src/schema/agent.ts';
import { pathName, slug } from '../../src/schema/fields.ts';
import { settingsSource } from '../../src/schema/settings.ts';

/** Limits of names that JSON Schema can express only as a pattern, or not at all. */

const forms: [name: string, takes: (text: string) => boolean, good: string[], bad: string[]][] = [
  [
    'the file name of a config',
    isConfigFilename,
    [`${'a'.repeat(95)}.json`, 'x.md', '.mcp.json', 'rc.json', '.arch.json', 'my.arc.json'],
    [`${'a'.repeat(96)}.json`, '.json', 'x.js', 'x.JSON', '..x.json', '.arc.json'],
  ],
  [
    'the name of the MCP server',
    (text) => settingsSource.shape.mcpName.safeParse(text).success,
    ['a/b', `a/${'b'.repeat(198)}`],
    ['a/', '/b', 'a/b/c', `a/${'b'.repeat(199)}`],
  ],
  [
    'the language',
    (text) => settingsSource.shape.language.safeParse(text).success,
    ['en', 'gsw', 'en-US', 'zh-Hans-CN', 'de-1996', `en-${'a'.repeat(8)}`],
    // Node.js takes the first ones for malformed, and would throw wherever a date is written.
    ['zh-CN-Hans', 'en-aa-bb', 'en-a1', 'e', 'engl', 'en-U', `en-${'a'.repeat(9)}`, 'EN'],
  ],
  [
    'the id of the feeds',
    (text) => settingsSource.shape.feedId.safeParse(text).success,
    ['tag:a.example,2026:', 'tag:a.example,2026-01:x', 'tag:a.example,2026-01-31:x'],
    [
      'xtag:a.example,2026:x',
      'tag:a.example,202:x',
      'tag:a.example,20260:x',
      'tag:a.example,2026-1:x',
      'tag:a.example,2026-01-31-01:x',
    ],
  ],
];

for (const [name, takes, good, bad] of forms) {
  test(`${name} is accepted up to its limits`, () => {
    assert.equal(
      good.filter((text) => !takes(text)),
      [],
    );
    assert.equal(bad.filter(takes), []);
  });
}

const ports = Array.from({ length: 10 }, (_, digit) => [`com${digit}`, `lpt${digit}`]).flat();
const devices = ['con', 'prn', 'aux', 'nul', ...ports];
const neighbors = ['co', 'conf', 'con-1', 'prns', 'auxiliary', 'null', 'com', 'com10', 'lpt', 'lpt10', 'my-com1'];

test('every reserved name is refused where it would become a path, and similar names are accepted', () => {
  const refusedBy = (shape: z.ZodType, names: string[]) => names.filter((name) => !shape.safeParse(name).success);
  assert.equal(refusedBy(slug, [...devices, 'index', 'catalog']), [...devices, 'index', 'catalog']);
  assert.equal(refusedBy(pathName, [...devices, 'index']), [...devices, 'index']);
  assert.equal(refusedBy(slug, [...neighbors, 'indexes', 'my-index', 'catalogs', 'my-catalog']), []);
  assert.equal(refusedBy(pathName, [...neighbors, 'indexes', 'catalog']), []);
  const files = devices.flatMap((name) => [`${name}.json`, `${name.toUpperCase()}.json`, `${name}.x.json`]);
  assert.equal(files.filter(isConfigFilename), []);
  const allowed = [...neighbors, ...devices.map((name) => `my-${name}`)].map((name) => `${name}.json`);
  assert.equal(
    allowed.filter((name) => !isConfigFilename(name)),
    [],
  );
});

test.run();
