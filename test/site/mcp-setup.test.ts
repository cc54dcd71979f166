import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mcpSetup, serverCard } from '../../src/site/install/install-source.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { render } from '../support/render.ts';

/** Readers paste the command into a shell, and clients accept the name. */

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789abc';
const names: [title: string, name: string][] = [
  ['Agents of the Day', 'agents-of-the-day'],
  [`${letters}d`, `${letters}d`],
  [`${letters}de`, `${letters}d`],
  [`${letters} de`, letters],
  ['日々', 'agents'],
  ['Ångström & Crème brûlée', 'angstrom-creme-brulee'],
];
for (const [title, name] of names) {
  test(`the server of “${title}” is called ${name}`, () => {
    const [claudeCode] = mcpSetup({ title, runtimeUrl: 'https://runtime.example' })?.clients ?? [];
    assert.is(claudeCode?.paste, `claude mcp add --transport http ${name} "https://runtime.example/api/mcp"`);
  });
}

test('the link to connect Claude is offered for https alone, since its cloud reaches no local address', () => {
  const links = (runtimeUrl: string) =>
    mcpSetup({ title: 'A', runtimeUrl })?.clients.find(({ name }) => name.startsWith('Claude Desktop'))?.installUrl;
  assert.match(links('https://runtime.example') ?? '', 'connectorUrl=https%3A%2F%2Fruntime.example%2Fapi%2Fmcp');
  assert.is(links('http://localhost:3000'), null);
});

test('no command to connect a client holds what a shell would run', () => {
  const setup = mcpSetup({ title: 'A', runtimeUrl: 'https://runtime.example/$(id)' });
  const commands = setup?.clients.map(({ paste }) => paste).join();
  assert.match(commands ?? '', 'https://runtime.example/%24%28id%29/api/mcp');
  assert.not.match(commands ?? '', '$(');
});

test('no command on the page for developers holds what a shell would run', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }], { baseUrl: 'https://press.example/$(id)' });
    const page = render(folder, { today: '2026-01-01' }).get('developers.html') ?? '';
    const commands = [...page.matchAll(/<code>((?:curl|npx) [^<]*)<\/code>/g)].map(([, command]) => command);
    assert.equal(commands, [
      'curl https://press.example/%24%28id%29/api/agents.json',
      'curl https://press.example/%24%28id%29/api/agents/one.json',
      'curl https://press.example/%24%28id%29/agents/one/prompt.txt',
      'npx skills add https://press.example/%24%28id%29',
    ]);
  }));

const taglines: [name: string, tagline: string, description: string][] = [
  ['of 100 characters is whole', `${'word '.repeat(19)}words`, `${'word '.repeat(19)}words`],
  ['of 101 is cut at a word', `${'word '.repeat(19)}wordy.`, `${'word '.repeat(18)}word…`],
  ['without spaces is cut at the last character that fits', '字'.repeat(101), `${'字'.repeat(99)}…`],
  ['of 100 characters of two units is whole', '😀'.repeat(100), '😀'.repeat(100)],
];
for (const [name, tagline, description] of taglines) {
  test(`the server card has a description: a tagline ${name}`, () => {
    const settings = { title: 'A', tagline, baseUrl: 'https://press.example', runtimeUrl: null };
    assert.is(serverCard(settings).description, description);
  });
}

test('the server card names the address of the server, if there is one', () => {
  const settings = { title: 'A', tagline: 'B', baseUrl: 'https://press.example', runtimeUrl: 'https://run.example' };
  assert.equal(serverCard(settings).remotes, [
    {
      type: 'streamable-http',
      url: 'https://run.example/api/mcp',
      supportedProtocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    },
  ]);
  assert.not('remotes' in serverCard({ ...settings, runtimeUrl: null }));
});

test.run();
