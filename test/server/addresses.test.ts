import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pickEncoding, versionIn } from '../../src/server/files.ts';
import { candidates, parseTarget } from '../../src/server/http.ts';

/** How the server reads the target of a request, and which encoding a client accepts. */

const targets: [raw: string, pathname: string, search?: string][] = [
  ['/', '/'],
  ['/agents/one?v=1', '/agents/one', '?v=1'],
  ['/agents/one?', '/agents/one', '?'],
  ['/?a=b?c', '/', '?a=b?c'],
  ['/%61#b', '/%61#b'],
  ['//host/path', '//host/path'],
  ['http://host/agents/one?v=1', '/agents/one', '?v=1'],
  ['HTTPS://host:443/a', '/a'],
  ['http://host', '/'],
  ['http://host?a=b', '/', '?a=b'],
  ['http://host?a=/b', '/', '?a=/b'],
  ['http://ada@host/a', '/a'],
  ['http:///a', '/a'],
  ['http://host#a', '*'],
  ['http:/host', '*'],
  ['ftp://host/a', '*'],
  ['a http://host/a', '*'],
  ['host:443', '*'],
  ['*', '*'],
  ['', '*'],
];
for (const [raw, pathname, search = ''] of targets) {
  test(`the path of the target "${raw}" is ${pathname}, and its query "${search}"`, () => {
    assert.equal(parseTarget(raw), { pathname, search, query: undefined, hash: undefined, raw });
  });
}

const files: [path: string, ...files: string[]][] = [
  ['/', 'index.html'],
  ['/a', 'a', 'a.html', 'a/index.html'],
  ['/a/', 'a/index.html', 'a.html'],
  ['/a/b/', 'a/b/index.html', 'a/b.html'],
  ['/a%20b', 'a b', 'a b.html', 'a b/index.html'],
  ['/a%2Fb', 'a/b', 'a/b.html', 'a/b/index.html'],
  ['/.a', '.a', '.a.html', '.a/index.html'],
  ['/a..', 'a..', 'a...html', 'a../index.html'],
  ['/.../a', '.../a', '.../a.html', '.../a/index.html'],
  ['/a+b', 'a+b', 'a+b.html', 'a+b/index.html'],
  ['/..'],
  ['/.'],
  ['/a/./b'],
  ['/a/../b'],
  ['/a/..'],
  ['/a/%2e%2e/b'],
  ['/a//b'],
  ['//a'],
  ['/a\\b'],
  ['/a%00'],
  ['/%ff'],
  ['/%'],
  ['*'],
  ['a'],
  [''],
];
for (const [path, ...expected] of files) {
  test(`${path === '' ? 'no path' : path} leads to ${expected.join(', ') || 'no file'}`, () => {
    assert.equal(candidates(path), expected);
  });
}

test('the version of an asset is the whole value of v', () => {
  const rows: [search: string, version: string | null][] = [
    ['?v=1a', '1a'],
    ['?a=b&v=1a&c=d', '1a'],
    ['?v=', ''],
    ['?v=1&v=2', '1'],
    ['?v', null],
    ['?av=1', null],
    ['', null],
  ];
  for (const [search, version] of rows) assert.is(versionIn(search), version, search);
});

const accepted: [accept: string | undefined, encoding: 'br' | 'gzip' | 'identity'][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['deflate, zstd', 'identity'],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=0.5, br;q=0.5', 'br'],
  ['br;q=0.5, gzip;q=0.6', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br, gzip;q=0.9', 'br'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['br;q=0.0, gzip;q=0.001', 'gzip'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0, *;q=0.5', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['*;q=0.5, gzip;q=0.7', 'gzip'],
  [' GZIP ; Q=0.5 ,', 'gzip'],
  ['br;level=1;q=0.1, gzip;level=9;q=0.2', 'gzip'],
  ['br;q=none', 'identity'],
  ['brotli, gzipped', 'identity'],
];
for (const [accept, encoding] of accepted) {
  test(`Accept-Encoding ${JSON.stringify(accept)} gets ${encoding}`, () => assert.is(pickEncoding(accept), encoding));
}

test.run();
