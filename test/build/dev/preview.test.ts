import fs, { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderCatalog } from '../../../src/build/build.ts';
import { loadSettings } from '../../../src/content/settings.ts';
import {
  inFolder,
  type SmallAgent,
  smallAgent,
  smallSettings,
  snapshot,
  temporaryFolder,
  writeCatalog,
  writeFiles,
} from '../../support/catalog.ts';
import { type RunningPreview, startPreview } from '../../support/dev.ts';
import { whileReadingFails } from '../../support/refusing-disk.ts';
import { ask } from '../../support/requests.ts';
import { until } from '../../support/until.ts';

/** What `catalog dev` serves while files change in every way in which editors and Git change them. */

const agents: SmallAgent[] = [
  { slug: 'one', date: '2026-01-01', front: { issue: '1' } },
  { slug: 'two', date: '2026-01-02', front: { tags: '[other]' } },
  { slug: 'due', date: '2026-03-01' },
  { slug: 'sketch', date: '2026-03-02', front: { draft: 'true' } },
];

interface Editing {
  folder: string;
  preview: RunningPreview;
  /** Reads a page. */
  page(path: string): Promise<string>;
  /** Waits until a page contains a text. */
  shows(path: string, text: string): Promise<void>;
  /** Replaces a text in a file of the catalog. */
  edit(file: string, from: string, to: string): void;
}

/** Runs `use` with a preview of a small catalog. */
async function withPreview(use: (editing: Editing) => Promise<void>, options: { poll?: boolean } = {}): Promise<void> {
  await inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const preview = await startPreview(folder, options.poll);
    const page = async (path: string) => (await fetch(preview.address + path)).text();
    try {
      await use({
        folder,
        preview,
        page,
        shows: (path, text) => until(async () => (await page(path)).includes(text)),
        edit(file, from, to) {
          const text = readFileSync(join(folder, file), 'utf8');
          assert.ok(text.includes(from), `${file} has no ${from}`);
          writeFileSync(join(folder, file), text.replaceAll(from, to));
        },
      });
      assert.is(preview.logged(), '');
    } finally {
      await preview.close();
    }
  });
}

const lastOf = ({ updates }: RunningPreview) => updates.at(-1) ?? [];

test('every page is the one that a build of drafts and scheduled agents has, also after changes', () =>
  withPreview(async ({ folder, preview, page, shows, edit }) => {
    const baseUrl = preview.address;
    const differing = async () => {
      const settings = loadSettings(folder, { baseUrl, runtimeUrl: baseUrl }, {});
      const options = { cwd: folder, settings, today: '2026-02-01', future: true, drafts: true, images: false };
      const { files } = renderCatalog(options).rendered;
      const wrong: string[] = [];
      for (const [path, bytes] of files) {
        if (/^(?:_headers|\.nojekyll|404\.html|refused\.html|subscription\/.*|build\.json|og\/.*)$/.test(path))
          continue;
        const shown = (await page(`/${path}`)).replace(/<script type="module" src="\/__dev\/.*\n/, '');
        if (shown !== String(bytes)) wrong.push(path);
      }
      return wrong;
    };
    assert.equal(await differing(), []);
    edit('agents/one/agent.md', 'The one agent', 'A first agent');
    await shows('/agents/one', 'A first agent');
    edit('agents/two/agent.md', 'tags: [other]', 'tags: [small]');
    edit('agents/two/prompt.txt', 'stock list', 'seating plan');
    await shows('/agents/two', 'seating plan');
    edit('agents/due/agent.md', '2026-03-01', '2026-01-31');
    await shows('/agents/due', 'January 31, 2026');
    edit('catalog.config.json', 'Small Catalog', 'Renamed Catalog');
    await shows('/', 'Renamed Catalog');
    await until(async () => (await differing()).length === 0);
    // Titles are compared, and related agents found, once nothing changes any more.
    edit('agents/one/agent.md', 'A first agent', 'The due agent');
    await until(() => lastOf(preview).some((error) => error.startsWith('title/taken')));
    edit('agents/one/agent.md', 'The due agent', 'A first agent');
    await until(() => lastOf(preview).length === 0);
  }));

test('an agent can be renamed, removed, saved by rename, half saved, and replaced by a link, a file or another folder', () =>
  withPreview(async ({ folder, preview, shows, page, edit }) => {
    const at = (name: string) => join(folder, 'agents', name);
    renameSync(at('two'), at('second'));
    await shows('/agents/second', 'The two agent');
    await shows('/agents/two', 'Not found');
    edit('agents/second/agent.md', 'tags:', 'formerSlugs: [two]\ntags:');
    await shows('/agents/two', 'The two agent has moved');

    const text = readFileSync(at('one/agent.md'), 'utf8');
    writeFileSync(at('one/agent.md~'), text.replace('The one agent', 'Saved by rename'));
    renameSync(at('one/agent.md~'), at('one/agent.md'));
    await shows('/agents/one', 'Saved by rename');

    writeFileSync(at('one/agent.md'), text.slice(0, 40));
    await until(() => lastOf(preview).some((error) => error.includes('agents/one/agent.md')));
    assert.match(await page('/agents/one'), 'Saved by rename');
    writeFileSync(at('one/agent.md'), text);
    await shows('/agents/one', 'The one agent');
    await until(() => lastOf(preview).length === 0);

    rmSync(at('second'), { recursive: true });
    await shows('/agents/second', 'Not found');
    renameSync(at('due'), join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), at('due'));
    await until(() => lastOf(preview).some((error) => error.startsWith('folder/symlink agents/due')));
    rmSync(at('due'));
    await until(() => lastOf(preview).length === 0);
    edit('agents/sketch/agent.md', 'The sketch agent', 'A finished agent');
    await shows('/agents/sketch', 'A finished agent');

    // Git removes a folder and makes it again at once, as in a rebase.
    rmSync(at('sketch'), { recursive: true });
    writeFiles(at('sketch'), smallAgent({ ...(agents[3] as SmallAgent), front: { title: 'A rebased agent' } }));
    await shows('/agents/sketch', 'A rebased agent');
    writeFileSync(at('sketch/notes.md'), 'A note\n');
    await until(() => lastOf(preview).some((error) => error.startsWith('folder/unknown-file agents/sketch/notes.md')));
    rmSync(at('sketch'), { recursive: true });
    writeFileSync(at('sketch'), 'A file\n');
    await until(() => lastOf(preview).some((error) => error.startsWith('folder/not-a-folder agents/sketch')));
  }));

for (const also of ['', '--poll', 'CHOKIDAR_USEPOLLING']) {
  test(`agents, templates and settings can be links to other places${also && `, also with ${also}`}`, () =>
    inFolder(async (folder) => {
      const [linked, elsewhere] = [join(folder, 'catalog'), join(folder, 'elsewhere')];
      mkdirSync(linked);
      for (const part of ['agents', 'templates', 'catalog.config.json'])
        symlinkSync(join(elsewhere, part), join(linked, part));
      writeCatalog(elsewhere, agents);
      writeFiles(elsewhere, { 'templates/partials/footer.hbs': 'The end' });
      if (also.startsWith('C')) process.env[also] = '1';
      const preview = await startPreview(linked, also === '--poll');
      delete process.env.CHOKIDAR_USEPOLLING;
      try {
        const shows = (text: string) =>
          until(async () => (await (await fetch(`${preview.address}/agents/one`)).text()).includes(text));
        writeCatalog(elsewhere, [{ ...(agents[0] as SmallAgent), howItWorks: 'Edited there.' }]);
        await shows('Edited there.');
        writeFiles(elsewhere, { 'templates/partials/footer.hbs': 'A new end' });
        await shows('A new end');
        writeCatalog(elsewhere, [], { title: 'A new name' });
        await shows('A new name');
        writeFileSync(join(elsewhere, 'saved'), JSON.stringify({ ...smallSettings, title: 'Saved by rename' }));
        renameSync(join(elsewhere, 'saved'), join(elsewhere, 'catalog.config.json'));
        await shows('Saved by rename');
      } finally {
        await preview.close();
      }
    }));
}

test('a switch to a branch that changes 500 files is followed', () =>
  withPreview(async ({ folder, preview, shows }) => {
    const days = Array.from({ length: 100 }, (_, index) => new Date(Date.UTC(2026, 3, index + 1)));
    const branch = days.map((date, index) => ({ slug: `b${index}`, date: date.toISOString().slice(0, 10) }));
    for (const agent of branch) {
      writeFiles(join(folder, 'agents', agent.slug), { ...smallAgent(agent), 'config.json': '{}\n' });
    }
    await shows('/agents/b99', 'The b99 agent');
    writeFiles(join(folder, 'agents/b0'), smallAgent({ ...branch[0], front: { excerpt: 'Short.' } } as SmallAgent));
    await shows('/api/agents.json', '"count": 104');
    await until(() => lastOf(preview).some((error) => error.startsWith('editorial/excerpt agents/b0/')));
    for (const { slug } of branch) rmSync(join(folder, 'agents', slug), { recursive: true });
    await shows('/api/agents.json', '"count": 4');
    await until(() => lastOf(preview).length === 0);
  }));

test('broken settings and templates are reported until they are fixed, and the pages stay', () =>
  withPreview(async ({ folder, preview, shows, page, edit }) => {
    edit('catalog.config.json', '"language"', '"languag"');
    await until(() => lastOf(preview).some((error) => error.startsWith('settings/unknown-key catalog.config.json:5')));
    assert.match(await page('/'), 'Small Catalog');
    writeFiles(folder, { 'templates/home.hbs': '{{#if agents}}' });
    // An error in other files does not hide the first one.
    await until(() => lastOf(preview).some((error) => error.startsWith('settings/')));
    edit('catalog.config.json', '"languag"', '"language"');
    await until(() => lastOf(preview).join() === 'template/syntax templates/home.hbs:1');
    writeFiles(folder, { 'templates/home.hbs': 'A home of its own' });
    await shows('/', 'A home of its own');
    writeFiles(folder, { 'templates/hoem.hbs': '' });
    await until(() => lastOf(preview).join() === 'template/unknown templates/hoem.hbs:1');
    rmSync(join(folder, 'templates'), { recursive: true });
    await until(async () => lastOf(preview).length === 0 && !(await page('/')).includes('A home of its own'));
  }));

test('after a change that makes the program fail, or a while without the folder, the next change is shown', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const preview = await startPreview(folder);
    try {
      await whileReadingFails(join(folder, 'templates/home.hbs'), async () => {
        writeFiles(folder, { 'templates/home.hbs': 'A home' });
        await until(() => preview.logged().includes('the preview was not updated'));
      });
      const shows = (text: string) =>
        until(async () => (await (await fetch(`${preview.address}/`)).text()).includes(text));
      writeFiles(folder, { 'templates/home.hbs': 'A home of its own' });
      await shows('A home of its own');
      rmSync(folder, { recursive: true });
      await until(() => lastOf(preview).includes('settings/missing catalog.config.json:1'));
      await until(() => preview.logged().includes('changes of some files may not be noticed'));
      writeCatalog(folder, agents);
      writeFiles(folder, { 'templates/home.hbs': 'Home again' });
      await shows('Home again');
    } finally {
      await preview.close();
    }
  }));

test('a catalog that is broken from the start is shown once it is fixed', () =>
  inFolder(async (folder) => {
    writeFiles(folder, { 'agents/one/agent.md': '---\ntitle: One\n' });
    const preview = await startPreview(folder);
    try {
      assert.equal(lastOf(preview), ['settings/missing catalog.config.json:1']);
      const response = await fetch(`${preview.address}/`);
      assert.match(await response.text(), 'appears here once the errors are fixed');
      rmSync(join(folder, 'agents'), { recursive: true });
      writeCatalog(folder, agents);
      await until(async () => (await (await fetch(`${preview.address}/agents/one`)).text()).includes('The one agent'));
      await until(() => lastOf(preview).length === 0);
    } finally {
      await preview.close();
    }
  }));

test('other sites and other names get nothing, and nothing is written but votes in a folder that goes', async () => {
  // Tests in other processes have previews, too.
  const temporary = temporaryFolder();
  const own = tmpdir();
  process.env.TMPDIR = temporary.path;
  const previews = () => readdirSync(temporary.path).filter((name) => name.startsWith('catalog-dev-'));
  await withPreview(async ({ folder, preview: { address } }) => {
    const files = snapshot(folder);
    const status = async (path: string, headers: Record<string, string>, init: RequestInit = {}) => {
      const response = await fetch(address + path, { ...init, headers });
      assert.is(response.headers.get('access-control-allow-origin'), null);
      return response.status;
    };
    assert.is(await status('/', {}), 200);
    assert.is(await status('/', { origin: address }), 200);
    assert.is((await fetch(address)).headers.get('cross-origin-resource-policy'), 'same-origin');
    const list = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
    assert.is(await status('/api/mcp', { 'content-type': 'application/json', accept: '*/*' }, list), 200);
    for (const path of ['/', '/agents/one', '/__dev/events?path=/', '/__dev/dev.js', '/api/mcp', '/healthz']) {
      assert.is(await status(path, { origin: 'https://evil.example' }), 403, path);
      for (const host of ['evil.example', 'localhost.evil.example']) {
        assert.is((await ask(address, path, { headers: { host } })).status, 403, path);
      }
    }
    const vote = { method: 'POST', body: JSON.stringify({ slug: 'sketch', vote: 'yes' }) };
    assert.is(await status('/api/feedback', { 'content-type': 'application/json' }, vote), 200);
    const [name = ''] = previews();
    assert.match(readFileSync(join(temporary.path, name, 'data', 'votes.jsonl'), 'utf8'), '"slug":"sketch"');
    assert.equal(snapshot(folder), files);
  }).finally(() => {
    process.env.TMPDIR = own;
  });
  assert.equal(previews(), []);
  temporary.remove();
});

for (const poll of [false, true]) {
  test(`an edit between the first reading and the first watch is shown${poll ? ', also with --poll' : ''}`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, agents);
      writeFiles(folder, { 'templates/home.hbs': 'A home' });
      const preview = await startPreview(folder, poll, () => {
        writeCatalog(folder, [{ ...(agents[0] as SmallAgent), howItWorks: 'Edited early.' }], {
          title: 'Early Catalog',
        });
        writeFiles(folder, { 'templates/home.hbs': 'An early home' });
      });
      try {
        const shows = (path: string, text: string) =>
          until(async () => (await (await fetch(preview.address + path)).text()).includes(text));
        await shows('/agents/one', 'Edited early.');
        await shows('/agents/one', 'Early Catalog');
        await shows('/', 'An early home');
      } finally {
        await preview.close();
      }
    }));
}

test('without free inotify watches, it says so and checks the files every second, even if the system first looks at them late', async () => {
  const { watch, watchFile } = fs;
  fs.watch = () => {
    throw Object.assign(new Error('System limit for number of file watchers reached'), { code: 'ENOSPC' });
  };
  const late = (...args: Parameters<typeof watchFile>) => setTimeout(() => watchFile(...args), 300);
  fs.watchFile = late as unknown as typeof watchFile;
  syncBuiltinESMExports();
  try {
    await withPreview(async ({ preview, edit, shows }) => {
      await until(() => preview.fallbacks.join() === 'ENOSPC');
      edit('agents/one/agent.md', 'The one agent', 'A polled agent');
      await shows('/agents/one', 'A polled agent');
    });
  } finally {
    Object.assign(fs, { watch, watchFile });
    syncBuiltinESMExports();
  }
});

test('forms never send to the live server', () =>
  withPreview(async ({ edit, shows, page }) => {
    edit('catalog.config.json', '"Small Catalog"', '"Live Catalog", "runtimeUrl": "https://live.example"');
    await shows('/', 'Live Catalog');
    assert.not.match(await page('/agents/one'), 'live.example');
    edit('catalog.config.json', '"https://live.example"', 'null');
    await until(async () => !(await page('/agents/one')).includes('Was it useful?'));
  }));

test.run();
