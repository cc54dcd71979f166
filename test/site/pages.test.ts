import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { load } from 'cheerio';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled, inFolder, type SmallAgent, smallAgent, snapshot, writeCatalog } from '../support/catalog.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { catalog } from '../support/process.ts';
import { render } from '../support/render.ts';
import { instructions } from '../support/xml.ts';

/** The prompt that readers copy, the data for search engines, and the size of a page. */

const awkward = 'INPUT\n\n- TEXT: <b> & "quotes"\n\tindented\n\nRULES\n1. Invent nothing.\n\nOUTPUT\n| a | b |\n';

test('the prompt on the page is the prompt, byte for byte, with its sections in the margin', async () => {
  const { page } = await buildOne({ prompt: awkward });
  const code =
    /<pre role="group" class="prompt" id="prompt-text"[^>]*><code>(.*?)<\/code><\/pre>/s.exec(page)?.[1] ?? '';
  assert.is(textOf(code), awkward);
  assert.equal(
    [...code.matchAll(/<span class="line heading">(\w+)\n/g)].map(([, name]) => name),
    ['INPUT', 'RULES', 'OUTPUT'],
  );
  assert.match(page, /<dt>RULES<\/dt><dd>Line 6: how it works<\/dd>/);
});

test('search engines get the agent, its steps and its breadcrumbs, and no text can end the block', async () => {
  const { page } = await buildOne({ title: 'An </script><script>alert(1)</script> agent' });
  const blocks = [...page.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  assert.is(blocks.length, 1);
  const { '@graph': graph } = JSON.parse(blocks[0]?.[1] ?? '');
  assert.equal(
    graph.map((node: { '@type': string }) => node['@type']),
    ['CreativeWork', 'HowTo', 'BreadcrumbList'],
  );
  assert.is(graph[0].name, 'An </script><script>alert(1)</script> agent');
  assert.is(graph[0].license, 'https://creativecommons.org/licenses/by/4.0/');
  for (const { url } of graph[1].step) {
    assert.match(page, `id="${new URL(url).hash.slice(1)}"`);
  }
});

test('no heading of an agent’s text has the id of another element, whatever its words are', async () => {
  const templates = snapshot(join(bundled, 'templates'));
  const known = Object.values(templates).flatMap((text) => [...text.matchAll(/ id="([\w-]+)"/g)].map(([, id]) => id));
  const words = [
    ...new Set([...known, 'step-1', 'own-input-1', 'own-input-1-hint', 'claude-code-way', 'How it works']),
  ];
  assert.ok(words.includes('attribution'));
  const agent = { slug: 'one', date: '2026-11-19' };
  const body = `${smallAgent(agent)['agent.md']}\n${words.map((word) => `## ${word}\n`).join('\n')}`;
  const page = await inFolder((folder) => {
    writeCatalog(folder, [{ ...agent, files: { 'agent.md': body } }]);
    return load(render(folder, { today: '2026-11-21' }).get('agents/one.html') ?? '');
  });
  const ids = page('[id]')
    .toArray()
    .map(({ attribs }) => attribs.id);
  assert.equal(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
  assert.is(page('.prose h3[id^="how-it-works-"]').length, words.length);
});

test('a feed that is opened in a browser has a stylesheet, which exists in that version', async () => {
  const { files } = await buildOne({});
  for (const path of ['feed.xml', 'atom.xml', 'feeds/coding.xml']) {
    const [sheet = ''] = instructions(files[path] ?? '', 'xml-stylesheet');
    assert.match(sheet, 'type="text/css"', path);
    const address = /href="([^"]*)/.exec(sheet)?.[1]?.replace('&#x3D;', '=') ?? '';
    const { pathname, search } = new URL(address, 'https://press.example');
    const css = files[pathname.slice(1)];
    assert.ok(css, path);
    const hash = createHash('sha256').update(Buffer.from(css, 'latin1')).digest('hex');
    assert.is(search, `?v=${hash.slice(0, 12)}`, path);
    // Nothing in a feed can say the direction of a text.
    for (const text of ['title', 'description', 'summary'])
      assert.match(css, new RegExp(`^${text}[,\\w\\s]* \\{[^}]*unicode-bidi: plaintext;`, 'm'));
  }
});

test('stylesheets and pages request the same version of a font', async () => {
  const { page, files } = await buildOne({});
  const css = files['assets/style.css'] ?? '';
  const preloads = [...page.matchAll(/<link rel="preload" href="\/assets\/([^"]+)"/g)];
  assert.is(preloads.length, 3);
  for (const [, address = ''] of preloads) assert.match(css, `url("${address.replace('&#x3D;', '=')}")`);
  assert.is(css.match(/url\("fonts\/[\w-]+\.woff2\?v=[0-9a-f]{12}"\)/g)?.length, 9);
});

test('no page has a heading, a list or a group of fields with nothing in it', () =>
  inFolder((folder) => {
    const settings = { runtimeUrl: null, repository: 'https://github.com/ada/prompts' };
    const one = { slug: 'one', date: '2026-11-20' };
    for (const [name, agents, change] of [
      ['no-agent', [], {}],
      ['one-agent', [one], {}],
      ['no-server', [one, { slug: 'two', date: '2026-11-19' }], settings],
    ] as const) {
      writeCatalog(join(folder, name), [...agents], change);
      for (const [path, html] of render(join(folder, name), { today: '2026-11-21' })) {
        if (!path.endsWith('.html')) continue;
        if (agents.length === 0) assert.not.match(html, /today’s agent/, path);
        const document = load(html);
        const says = (part: string, heading: string) =>
          document(part)
            .toArray()
            .map((element) => document(element).clone())
            .filter((element) => element.find(heading).remove().end().text().trim() === '')
            .map((element) => `${name}/${path}: ${element.prop('outerHTML')}`);
        assert.equal(
          [...says('section', 'h2'), ...says('ol:not(.result-list), ul, dl', ''), ...says('fieldset', 'legend')],
          [],
        );
      }
    }
  }));

/** Builds a catalog of one agent. */
test('readers see their own hint of an input, and code and quotes alike on pages, in feeds, Markdown and emails', () =>
  inFolder((folder) => {
    const front = {
      inputs: '{ ROWS: \'The "stock" list\' }',
      problem: '\'Ada runs `rm <file>` and says "done", and nobody in the whole office knows why.\'',
      trap: "'A quick answer believes `0`.'",
    };
    // The start at the top of a page has up to 900 characters: the first two lines.
    const sample = [`1 ${'a'.repeat(598)}`, `2 ${'b'.repeat(298)}`, '3'];
    const texts = { 'prompt.txt': goodPrompt, 'sample-input.txt': `${sample.join('\n')}\n` };
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', front, files: texts }]);
    const files = render(folder, { today: '2026-01-02' });
    const page = load(files.get('agents/one.html') ?? '');
    const hints = page('.field .quiet').map((_, hint) => page(hint).text());
    assert.equal([...hints].slice(0, 1), ['The “stock” list']);
    assert.match(hints.get(1) ?? '', 'mails about the stock.');
    const html = 'Ada runs <code>rm &lt;file&gt;</code> and says “done”, and nobody';
    for (const path of ['index.html', 'agents/one.html', 'mail/1.html'])
      assert.match(files.get(path) ?? '', html, path);
    assert.match(files.get('atom.xml') ?? '', 'and says “done”');
    for (const path of ['agents/one.md', 'mail/1.txt'])
      assert.match(files.get(path) ?? '', 'Ada runs `rm <file>` and says “done”, and nobody', path);
    assert.match(files.get('api/agents/one.json') ?? '', 'Ada runs `rm <file>` and says \\"done\\"');
    assert.match(files.get('agents/one.html') ?? '', 'believes <code>0</code>.');
    assert.is(page('[aria-label="Start of the sample input"]').text(), sample.slice(0, 2).join('\n'));
    assert.equal([...page('.line-number').map((_, number) => page(number).text())], ['1', '2', '3']);
  }));

test('a page says when the next agent comes, as far as the settings allow, and nothing if none is scheduled', async () => {
  const scheduled = { slug: 'later', date: '2026-01-04', front: { title: 'Later <b>Agent</b>' } };
  const purpose = (settings: object, agents: SmallAgent[]) =>
    inFolder((folder) => {
      writeCatalog(
        folder,
        [{ slug: 'one', date: '2026-01-01' }, { slug: 'two', date: '2026-01-02' }, ...agents],
        settings,
      );
      const files = render(folder, { today: '2026-01-02' });
      return ['index.html', 'agents/two.html', 'agents/one.html'].map((path) =>
        load(files.get(path) ?? '')('.purpose'),
      );
    });
  const said = async (settings: object, agents: SmallAgent[]) =>
    (await purpose(settings, agents)).map((line) => line.text().replace(/^.*already use\. ?| ?Subscribe$/g, ''));
  const date = 'Sunday, January 4, 2026, 00:00 Asia/Tokyo.';
  const zone = { timezone: 'Asia/Tokyo' };
  assert.equal(await said(zone, [scheduled]), [`Next: ${date}`, `Next: ${date}`, '']);
  assert.equal((await said({ ...zone, showNext: 'title' }, [scheduled]))[0], `Next: Later <b>Agent</b>, ${date}`);
  assert.match((await said({ ...zone, showNext: 'category' }, [scheduled]))[0] ?? '', /^Next: \w+, Sunday/);
  assert.equal(await said({ ...zone, showNext: 'nothing' }, [scheduled]), ['', '', '']);
  assert.equal(await said(zone, []), ['', '', '']);
  assert.equal(await said(zone, [{ ...scheduled, front: { draft: 'true' } }]), ['', '', '']);
  const [home] = await purpose(zone, [scheduled]);
  // Midnight in Tokyo.
  assert.is(home?.find('[data-until]').attr('data-until'), '2026-01-03T15:00:00.000Z');
});

test('pages link to the repository in the settings, to edit an agent or propose one', async () => {
  const linksOf = (page: string) =>
    [...page.matchAll(/href="(https:\/\/github\.com[^"]*)">([^<]*)/g)].map(([, ...link]) => link);
  const { page, files } = await buildOne({ settings: { repository: 'https://github.com/ada/prompts/' } });
  const propose = ['https://github.com/ada/prompts/issues/new?template=propose-an-agent.yml', 'Propose an agent'];
  assert.equal(linksOf(page), [['https://github.com/ada/prompts/tree/HEAD/agents/one', 'Edit this agent'], propose]);
  assert.equal(linksOf(files['about.html'] ?? ''), [propose]);
  assert.not.match((await buildOne({})).page, /Edit this agent|Propose an agent/);
});

async function buildOne({ prompt, title, settings }: { prompt?: string; title?: string; settings?: object }): Promise<{
  page: string;
  files: Record<string, string>;
}> {
  return inFolder(async (folder) => {
    const agent = {
      slug: 'one',
      date: '2026-11-20',
      ...(title === undefined ? {} : { front: { title: JSON.stringify(title) } }),
      ...(prompt === undefined ? {} : { files: { 'prompt.txt': prompt } }),
    };
    writeCatalog(folder, [agent], settings);
    const built = await catalog(['build', '--cwd', folder, '--today', '2026-11-21']);
    assert.is(built.code, 0, built.stderr);
    const files = snapshot(join(folder, 'dist'));
    return { page: files['agents/one.html'] ?? '', files };
  });
}

/** Returns the text of HTML that contains only elements and the escapes of templates. */
function textOf(html: string): string {
  const escapes: Record<string, string> = {
    lt: '<',
    gt: '>',
    amp: '&',
    quot: '"',
    '#x27': "'",
    '#x60': '`',
    '#x3D': '=',
  };
  return html.replace(/<[^>]*>/g, '').replace(/&(#?\w+);/g, (whole, name: string) => escapes[name] ?? whole);
}

test.run();
