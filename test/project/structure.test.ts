import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { circles, forbiddenImports, readRooms, readSource, type SourceFile } from '../../tools/structure.ts';

const files = readSource();
const { arrows, budgets } = readRooms(readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8'));

/** A file with one import, for the checks below. */
const importing = (path: string, target: string): SourceFile => ({
  path,
  lines: 1,
  code: 1,
  exports: [],
  imports: new Map([[target, new Set(['name'])]]),
});

test('the map in ARCHITECTURE.md has every room of src/, and no other', () => {
  const rooms = new Set(
    files.map(({ path }) => path.split('/')).flatMap(([room = '', ...inside]) => (inside.length > 0 ? [room] : [])),
  );
  assert.equal([...budgets.keys()].sort(), [...rooms].sort());
  assert.equal(
    files.map(({ path }) => path).filter((path) => !path.includes('/')),
    ['main.ts', 'program.ts'],
  );
});

test('rooms import only what the map in ARCHITECTURE.md allows', () => {
  assert.equal(forbiddenImports(files, arrows), []);
  assert.equal(forbiddenImports([importing('lib/text.ts', 'cli/console.ts')], arrows), [
    'lib/text.ts → cli/console.ts',
  ]);
});

test('no files import each other in a circle, not even for types', () => {
  assert.equal(circles(files), []);
  const circle = [
    importing('a/one.ts', 'a/two.ts'),
    importing('a/two.ts', 'a/three.ts'),
    importing('a/three.ts', 'a/one.ts'),
  ];
  assert.equal(circles(circle), [['a/one.ts', 'a/two.ts', 'a/three.ts']]);
});

test('no file is longer than 500 lines, which the linter counts without blank ones', () => {
  assert.equal(
    files.filter(({ lines }) => lines > 500).map(({ path, lines }) => `${path}: ${lines}`),
    [],
  );
});

test('every import that the text of a file has is seen', () => {
  const { imports } = files.find(({ path }) => path === 'main.ts') as SourceFile;
  assert.ok([...imports.keys()].some((path) => path.startsWith('cli/commands/')));
});

test.run();
