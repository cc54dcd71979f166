import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mcpSetup } from '../../src/outputs/install/mcp-setup.ts';

/** A reader pastes the command into a shell, and the client takes the name. */

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789abc';
const names: [title: string, name: string][] = [
  ['Agents of the Day', 'agents-of-the-day'],
  [`${letters}d`, `${letters}d`],
  [`${letters}de`, `${letters}d`],
  [`${letters} de`, letters],
  ['日々', 'agents'],
];
for (const [title, name] of names) {
  test(`the server of “${title}” is called ${name}`, () => {
    const setup = mcpSetup({ title, runtimeUrl: 'https://runtime.example' });
    assert.is(
      setup?.clients.find((client) => client.name === 'Claude Code')?.paste,
      `claude mcp add --transport http ${name} "https://runtime.example/api/mcp"`,
    );
  });
}

test.run();
