import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadSettings } from '../../src/content/settings.ts';
import { contentTypes, securityHeaders, securityPolicy, siteRules } from '../../src/site/hosting/site-rules.ts';
import { outputs } from '../../src/site/index.ts';
import { makeSite } from '../../src/site/make-site.ts';
import { bundled, inFolder, writeCatalog } from '../support/catalog.ts';
import { render } from '../support/render.ts';

/** The information about the files of a site for hosts, browsers and crawlers. */

const text = 'text/plain; charset=utf-8';
const json = 'application/json';
const html = 'text/html; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';
const types: [path: string, type: string | undefined][] = [
  ['assets/style.css', 'text/css; charset=utf-8'],
  ['assets/search.js', 'text/javascript; charset=utf-8'],
  ['assets/favicon.svg', 'image/svg+xml'],
  ['assets/logo.png', 'image/png'],
  ['assets/data.json', json],
  ['assets/fonts/a.woff2', 'font/woff2'],
  ['assets/fonts/OFL.txt', text],
  ['assets/LICENSE', text],
  ['assets/fonts/more/a.woff2', 'font/woff2'],
  ['assets/Photo.JPG', 'image/jpeg'],
  ['assets/icons/a.webp', 'image/webp'],
  ['assets/own.mjs', 'text/javascript; charset=utf-8'],
  ['assets/fonts/own.ttf', 'font/ttf'],
  ['index.html', html],
  ['indexXhtml', undefined],
  ['agents/one.html', html],
  ['agents/one/index.html', html],
  ['agents/one.md', markdown],
  ['agents/one/prompt.txt', text],
  ['agents/one/sample-output.txt', text],
  ['agents/one/config.json', json],
  ['agents/one/config.yaml', text],
  ['agents/one/config.md', markdown],
  ['agents/one/config.exe', text],
  ['agents/one/readme.txt', undefined],
  ['categories/coding.html', html],
  ['categories/coding/index.html', html],
  ['categories/coding/2.html', html],
  ['tags/one.html', html],
  ['tags/one/index.html', html],
  ['tags/one/2.html', html],
  ['archive.html', html],
  ['archive/index.html', html],
  ['archive/2026.html', html],
  ['archive/2026/index.html', html],
  ['archive/2026/02.html', html],
  ['404.html', html],
  ['refused.html', html],
  ['thanks/vote.html', html],
  ['subscription/confirm.html', html],
  ['about.html', html],
  ['about.md', markdown],
  ['developers.html', html],
  ['og/one.png', 'image/png'],
  ['api/agents.json', json],
  ['api/agents/one.json', json],
  ['api/mcp/server-card', 'application/mcp-server-card+json'],
  ['feed.xml', 'application/rss+xml; charset=utf-8'],
  ['atom.xml', 'application/atom+xml; charset=utf-8'],
  ['feeds/coding.xml', 'application/atom+xml; charset=utf-8'],
  ['feed.json', 'application/feed+json'],
  ['.well-known/agent-skills/index.json', json],
  ['.well-known/agent-skills/one/SKILL.md', markdown],
  ['.well-known/agent-skills/one.zip', 'application/zip'],
  ['agents/one/.well-known/agent-skills/index.json', json],
  ['marketplace.json', json],
  ['plugins/one-1.0.0.zip', 'application/zip'],
  ['sitemap.xml', 'application/xml; charset=utf-8'],
  ['build.json', undefined],
  ['', undefined],
];

test('every content type belongs to an output', () => {
  const paths = outputs.flatMap(({ path, also }) => (also === undefined ? [path] : [path, also]));
  assert.equal(Object.keys(contentTypes).sort(), paths.sort());
});

test('browsers get the type of every file, and no type for other paths', () => {
  assert.equal(
    types.map(([path]) => [path, siteRules.contentType(path)]),
    types,
  );
});

const hsts: [baseUrl: string, runtimeUrl: string | null, value: string | undefined][] = [
  ['https://press.example', null, 'max-age=31536000'],
  ['https://press.example', 'https://press.example', 'max-age=31536000'],
  ['https://press.example', 'https://run.example', 'max-age=31536000'],
  ['http://press.example', null, undefined],
  ['https://press.example/catalog', null, undefined],
  ['https://press.example', 'http://run.example', undefined],
  ['https://press.example', 'https://run.example/run', undefined],
  ['http://press.example', 'https://run.example', undefined],
];
for (const [baseUrl, runtimeUrl, value] of hsts) {
  test(`the site at ${baseUrl} with the server ${runtimeUrl} ${value === undefined ? 'leaves HTTP open' : 'requires HTTPS'}`, () => {
    assert.is(securityHeaders({ baseUrl, runtimeUrl }, '')['Strict-Transport-Security'], value);
  });
}

test('pages may send forms and requests to themselves and to the server, and nowhere else', () => {
  const policy = (runtimeUrl: string | null) => securityPolicy({ runtimeUrl }, 'index.html').split('; ');
  assert.equal(policy(null), [
    ...[
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "font-src 'self'",
      "script-src 'self' 'inline-speculation-rules'",
    ],
    ...["connect-src 'self'", "form-action 'self'", "base-uri 'none'", "require-trusted-types-for 'script'"],
    ...["trusted-types 'none'", "frame-ancestors 'none'"],
  ]);
  assert.equal(
    policy('https://run.example:8443/run').filter((rule) => rule.includes('example')),
    ["connect-src 'self' https://run.example:8443", "form-action 'self' https://run.example:8443"],
  );
});

/** The assets of a site, as they are published. */
function published(assets: Map<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  const noAgents = { agents: [], next: null, moved: new Map(), withdrawn: [] };
  return makeSite({ templates: [], assets, fonts: [], custom: false }, settings, noAgents).assets;
}

const settings = loadSettings(bundled, {}, {});

// The first 12 digits of the SHA-256 of the word `font`.
const version = '795ea3efa43d';
const links: [name: string, before: string, after: string][] = [
  ['a file in a folder below', 'url("fonts/a.woff2")', `url("fonts/a.woff2?v=${version}")`],
  ['a file beside it', 'url("logo.svg")', `url("logo.svg?v=${version}")`],
  ['a file with a short name', 'url("b")', `url("b?v=${version}")`],
  ['each of several', 'url("b"), url("logo.svg")', `url("b?v=${version}"), url("logo.svg?v=${version}")`],
  ['not a file that does not exist', 'url("c.png")', 'url("c.png")'],
  ['not an address with a query', 'url("b?w=1")', 'url("b?w=1")'],
  ['not a part of the page', 'url("#b")', 'url("#b")'],
  ['not another site', 'url("https://press.example/b")', 'url("https://press.example/b")'],
];
for (const [name, before, after] of links) {
  test(`a stylesheet names the version of ${name}`, () => {
    const font = Buffer.from('font');
    const assets = new Map<string, Uint8Array>([
      ['assets/style.css', Buffer.from(`a { src: ${before}; }`)],
      ['assets/fonts/a.woff2', font],
      ['assets/logo.svg', font],
      ['assets/b', font],
      ['assets/notes.txt', Buffer.from(before)],
    ]);
    const served = published(assets);
    assert.equal([...served.keys()], [...assets.keys()]);
    assert.is(String(served.get('assets/style.css')), `a { src: ${after}; }`);
    assert.is(String(served.get('assets/notes.txt')), before);
  });
}

test('paths in the stylesheet of a folder are relative to that folder', () => {
  const served = published(
    new Map([
      ['assets/print/style.css', Buffer.from('url("../b") url("b")')],
      ['assets/b', Buffer.from('font')],
    ]),
  );
  assert.is(String(served.get('assets/print/style.css')), `url("../b?v=${version}") url("b")`);
});

test('the security.txt of a site without agents has not expired', () =>
  inFolder((folder) => {
    writeCatalog(folder, [], { securityContact: 'mailto:security@press.example' });
    const [expires = ''] =
      /(?<=^Expires: ).*/m.exec(render(folder, { today: '2026-11-20' }).get('.well-known/security.txt') ?? '') ?? [];
    assert.ok(new Date(expires) > new Date('2099-01-01'), expires);
  }));

test('a site without a contact has no security.txt, and links at the root of a host have no path', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-11-20' }], { runtimeUrl: 'https://press.example' });
    const files = render(folder, { today: '2026-11-20' });
    assert.not(files.has('.well-known/security.txt'));
    assert.match(files.get('_headers') ?? '', /^\/\*\n {2}Content-Security-Policy: default-src 'none'; /);
    assert.match(files.get('_headers') ?? '', '\n  Strict-Transport-Security: max-age=31536000\n');
    assert.match(files.get('_headers') ?? '', '\n\n/agents/*/prompt.txt\n  Content-Type: text/plain; charset=utf-8\n');
    assert.match(files.get('agents/one.html') ?? '', 'action="/api/feedback"');
  }));

test.run();
