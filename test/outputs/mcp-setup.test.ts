import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installCommands } from '../../src/outputs/install/install-commands.ts';
import { mcpSetup } from '../../src/outputs/install/mcp-setup.ts';

/** A reader pastes the command into a shell, and the client takes the name. */

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
    const settings = { title, baseUrl: 'https://press.example', runtimeUrl: 'https://runtime.example' };
    const [pasted, onAgentPage] = claudeCode(settings);
    assert.is(pasted, `claude mcp add --transport http ${name} "https://runtime.example/api/mcp"`);
    assert.is(onAgentPage, pasted);
  });
}

test('no address in a command holds what a shell would run', () => {
  const baseUrl = 'https://press.example/$(id)';
  const settings = { title: 'A', baseUrl, runtimeUrl: 'https://[::1]:3000/~a_b/é`id`' };
  const commands = installCommands({ settings }, { slug: 'one', promptUrl: `${baseUrl}/agents/one/prompt.txt` });
  assert.equal(
    commands.map(({ command }) => command),
    [
      'npx skills add https://press.example/%24%28id%29 --skill one',
      'claude mcp add --transport http a "https://[::1]:3000/~a_b/%C3%A9%60id%60/api/mcp"',
      'curl -fsS -o one.txt https://press.example/%24%28id%29/agents/one/prompt.txt',
    ],
  );
  assert.is(claudeCode(settings)[0], commands[1]?.command);
});

/** The command for Claude Code on the developers page and on an agent's page. */
function claudeCode(settings: { title: string; baseUrl: string; runtimeUrl: string }): (string | undefined)[] {
  const commands = installCommands({ settings }, { slug: 'one', promptUrl: 'https://press.example/one.txt' });
  return [
    mcpSetup(settings)?.clients.find(({ name }) => name === 'Claude Code')?.paste,
    commands.find(({ id }) => id === 'install-mcp')?.command,
  ];
}

test.run();
