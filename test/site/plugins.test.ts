import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sha256Of } from '../../src/lib/files.ts';
import { inFolder, smallSettings, writeCatalog } from '../support/catalog.ts';
import { skillFaults } from '../support/client-rules.ts';
import { agents, plugins, renderIn, settings } from '../support/plugin-catalog.ts';
import { manifestFaults, schemas } from '../support/plugin-schemas.ts';

/** Agents as plugins: in the archives and the marketplace of the site, and in the tree of the branch `install`. */

const both = await inFolder((folder) => {
  writeCatalog(folder, agents, settings);
  return renderIn(folder);
});
const { files, tree } = both;
const parsed = (path: string) => JSON.parse(files.get(path)?.toString('utf8') ?? tree.get(path) ?? 'null');

for (const path of Object.keys(schemas)) {
  test(`every ${path} follows the rules of its clients`, () => {
    const ofSite = ['marketplace.json', 'server.json'].map((name) => [name, String(files.get(name))] as const);
    const own = [...tree, ...ofSite];
    const matching = own.filter(([each]) => each.replace(/^plugins\/[^/]+\//, 'plugins/*/') === path);
    assert.is(matching.length, path.startsWith('plugins/') ? 3 : 1);
    assert.equal(
      matching.flatMap(([each, json]) => manifestFaults(each, json)),
      [],
    );
  });
}

test('the rules notice what breaks them', () => {
  const changes: [path: string, from: string | RegExp, to: string, fault: RegExp][] = [
    ['plugins/plain/plugin.json', '"name": "plain"', '"name": "Plain"', /name must match/],
    ['plugins/plain/plugin.json', '"license"', '"licence"', /additional properties/],
    ['plugins/plain/.codex-plugin/plugin.json', '1.0.0', '1.0', /version must match/],
    ['plugins/plain/.cursor-plugin/plugin.json', '"email"', '"url"', /additional properties/],
    ['.claude-plugin/marketplace.json', './plugins/plain', 'plugins/plain', /source must match/],
    [
      '.claude-plugin/marketplace.json',
      '"old-name": "hostile"',
      '"old-name": "lost"',
      /renamed to lost, which is not listed/,
    ],
    ['.claude-plugin/marketplace.json', '"old-name":', '"plain":', /plain is renamed, but listed/],
    ['.agents/plugins/marketplace.json', '"Developer Tools"', '"Coding"', /category must be equal/],
    ['gemini-extension.json', 'https://press', 'http://press', /httpUrl must match/],
  ];
  for (const [path, from, to, fault] of changes) {
    const json = tree.get(path) ?? '';
    assert.is.not(json.replace(from, to), json, path);
    assert.match(manifestFaults(path, json.replace(from, to))?.join() ?? '', fault);
  }
});

test('every skill in the tree follows the Agent Skills specification', () => {
  const skills = [...tree].filter(([path]) => path.endsWith('/SKILL.md'));
  assert.is(skills.length, 6);
  assert.equal(
    skills.flatMap(([path, text]) => skillFaults(path.split('/').at(-2) ?? '', text)),
    [],
  );
});

test('the archive of a plugin has the files of its folder in the tree, and the marketplace its address and digest', () => {
  for (const { name, version, source } of parsed('marketplace.json').plugins) {
    const path = `plugins/${name}-${version}.zip`;
    assert.equal(source, { source: 'archive', url: `https://press.example/${path}`, sha256: plugins(both).get(path) });
    const unpacked = Object.entries(unzipSync(files.get(path) ?? new Uint8Array()));
    const folder = [...tree].filter(([each]) => each.startsWith(`plugins/${name}/`));
    assert.equal(
      unpacked.map(([each, bytes]) => [`plugins/${name}/${each}`, strFromU8(bytes)]),
      folder.sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }
  assert.equal(
    [...plugins(both).keys()],
    ['long', 'hostile', 'plain'].map((slug) => `plugins/${slug}-1.0.0.zip`),
  );
});

test('installed copies follow a new slug, and a withdrawn agent leads nowhere', () => {
  const renames = { 'old-name': 'hostile', 'older-name': 'hostile', gone: null, 'gone-before': null };
  for (const path of ['marketplace.json', '.claude-plugin/marketplace.json']) {
    assert.equal(parsed(path).renames, renames);
    assert.equal(
      parsed(path).plugins.map(({ name }: { name: string }) => name),
      ['long', 'hostile', 'plain'],
    );
  }
  assert.equal(
    [...files.keys(), ...tree.keys()].filter((path) => path.includes('gone')),
    [],
  );
});

test('the marketplace is named after the catalog, and never like one of its vendor', async () => {
  assert.is(parsed('marketplace.json').name, 'kase-brot-prompts');
  for (const [title, baseUrl, name] of [
    ['Agent Skills', 'https://press.example', 'press-example'],
    ['Claude tips', 'https://press.example/tips', 'press-example'],
    ['日本語', 'https://press.example', 'agents'],
    ['Claude tips', 'https://claude.example', 'agents'],
  ] as const) {
    const named = await inFolder((folder) => {
      writeCatalog(folder, [], { ...smallSettings, title, baseUrl });
      return renderIn(folder);
    });
    assert.is(JSON.parse(named.files.get('marketplace.json')?.toString('utf8') ?? '').name, name);
  }
});

test('two builds have the same archives and trees, in any time zone', async () => {
  const { TZ } = process.env;
  try {
    for (const zone of ['Pacific/Kiritimati', 'America/St_Johns']) {
      process.env.TZ = zone;
      const again = await inFolder((folder) => {
        writeCatalog(folder, [...agents].reverse(), settings);
        return renderIn(folder);
      });
      assert.equal(again.tree, tree);
      assert.equal(plugins(again), plugins(both));
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test('a change of one byte in a file of an agent changes its plugin, and no other', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents, settings);
    const changes: [file: string, from: string, to: string][] = [
      ['agent.md', 'The plain agent', 'The plain agenT'],
      ['agent.md', 'It works as small', 'It works as smalL'],
      ['prompt.txt', 'RULES', 'RULES '],
      ['sample-input.txt', 'lamp', 'lamP'],
      ['sample-output.txt', 'Rows', 'RowS'],
    ];
    for (const [file, from, to] of changes) {
      const path = join(folder, 'agents', 'plain', file);
      const text = readFileSync(path, 'utf8');
      assert.ok(text.includes(from), `${file} has no ${from}`);
      writeFileSync(path, text.replace(from, to));
      const changed = renderIn(folder);
      const other = [...plugins(changed)].filter(([name, digest]) => plugins(both).get(name) !== digest);
      assert.equal(
        other.map(([name]) => name),
        ['plugins/plain-1.0.0.zip'],
        file,
      );
      const folders = [...changed.tree]
        .filter(([each, text]) => tree.get(each) !== text)
        .map(([each]) => each.split('/')[1]);
      assert.equal(
        [...new Set(folders)].filter((name) => name !== undefined && !name.endsWith('.json')),
        ['plain'],
        file,
      );
      writeFileSync(path, text);
    }
  });
});

test('a reader who runs `npx skills add` again after a rename gets the agent by its new name, and not all agents', () => {
  for (const former of ['old-name', 'older-name']) {
    const index = `agents/${former}/.well-known/agent-skills/index.json`;
    const [skill, ...others] = parsed(index)?.skills ?? [];
    assert.equal([skill?.name, others], ['hostile', []]);
    const archive = new URL(skill.url, `https://press.example/${index}`).pathname.slice(1);
    assert.is(skill.digest, `sha256:${sha256Of(files.get(archive) ?? '')}`);
  }
});

test('without Git too, a reader of Gemini CLI is offered an edit, and no update without one', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents, settings);
    const versions = () => {
      const { tree } = renderIn(folder);
      const of = (path: string) => JSON.parse(tree.get(path) ?? '').version;
      return [of('gemini-extension.json'), of('plugins/plain/plugin.json')];
    };
    const before = versions();
    assert.equal(versions(), before);
    appendFileSync(join(folder, 'agents/plain/sample-input.txt'), 'One more row\n');
    const [extension, plugin] = versions();
    assert.is.not(extension, before[0], 'Gemini CLI says “already up to date” to a reader who lacks the edit');
    assert.is(plugin, '1.0.0');
  }));

test('Gemini CLI, which loads all skills at the root as one extension, gets the newest 50', async () => {
  const many = Array.from({ length: 52 }, (_, index) => {
    const date = new Date(Date.UTC(2026, 8, 1 + index)).toISOString().slice(0, 10);
    // The first number belonged to an agent that was deleted.
    return { slug: `agent-${index + 1}`, date, front: { issue: String(index + 2) } };
  });
  const large = await inFolder((folder) => {
    writeCatalog(folder, many);
    return renderIn(folder);
  });
  const skills = [...large.tree.keys()].flatMap((path) => /^skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1] ?? []);
  assert.is(skills.length, 50);
  assert.equal([skills[0], skills.at(-1)], ['agent-52', 'agent-3']);
  assert.ok(large.tree.has('plugins/agent-1/skills/agent-1/SKILL.md'));
  assert.match(JSON.parse(large.tree.get('gemini-extension.json') ?? '').version, /^1\.53\.\d+$/);
  const readme = large.tree.get('README.md') ?? '';
  assert.match(readme, /The agent-3 agent\].*\n\n2 more are at https:\/\/press\.example\/archive\./);
  assert.not.match(readme, 'agent-2 agent]');
});

test('the README has the commands for this repository, and no text of an agent becomes markup', () => {
  const readme = tree.get('README.md') ?? '';
  assert.match(readme, 'codex plugin marketplace add press/prompts@install\ncodex plugin add long@kase-brot-prompts');
  assert.match(readme, 'gemini extensions install https://github.com/press/prompts --ref=install');
  assert.match(readme, 'claude plugin marketplace add https://press.example/marketplace.json');
  assert.not.match(readme, /[^\\]<i>/);
  const changelog = tree.get('CHANGELOG.md') ?? '';
  assert.match(changelog, '- 2026-11-01: The plain agent (`plain`, No. 1), version 1.0.0');
  assert.match(changelog, '- 2026-11-02: Title \\<i>');
  assert.not.match(changelog, /[^\\]<i>/);
  assert.match(tree.get('LICENSE') ?? '', 'SPDX identifier CC-BY-4.0');
});

test.run();
