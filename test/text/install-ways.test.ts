import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type InstallWays, installHints, installWays, marketplaceName } from '../../src/text/install-ways.ts';

/** How readers install agents: every command and link, for every kind of publication. */

const source: InstallSource = {
  title: 'Tiny Prompts',
  site: 'https://tiny.example/p',
  mcp: 'https://tiny.example/p/api/mcp',
  repository: 'https://github.com/ada/tiny',
};
const agent = { slug: 'tidy-up', promptUrl: 'https://tiny.example/p/agents/tidy-up/prompt.txt', prompt: 'A & b' };

type InstallSource = Parameters<typeof installWays>[0];

/** The link and the text to paste of each way, by its name. */
function pasted(given: InstallSource, one: Parameters<InstallWays>[0]): Record<string, string[]> {
  const ways = installWays(given)(one);
  return Object.fromEntries(
    ways.map(({ name, url, paste }) => [name, [...(url === null ? [] : [url]), ...(paste ?? '').split('\n')]]),
  );
}

// The base64 text is ada/tiny#install.
const vscode = 'vscode://chat-plugin/add-marketplace?ref=YWRhL3RpbnkjaW5zdGFsbA';
const [addToClaude, addToCodex, addToCopilot] = [
  'claude plugin marketplace add https://tiny.example/p/marketplace.json',
  'codex plugin marketplace add ada/tiny@install',
  'copilot plugin marketplace add "ada/tiny#install"',
];
const skills = 'npx skills add https://tiny.example/p';

test('an agent has a link or a command for each client', () => {
  assert.equal(pasted(source, agent), {
    'Claude and ChatGPT': [''],
    'Claude Code': [addToClaude, 'claude plugin install tidy-up@tiny-prompts'],
    'VS Code': [vscode, ''],
    Cursor: [
      'https://cursor.com/link/command?name=tidy-up&text=A%20%26%20b',
      `${skills}/agents/tidy-up --agent cursor`,
    ],
    Codex: [addToCodex, 'codex plugin add tidy-up@tiny-prompts'],
    'Copilot CLI': [addToCopilot, 'copilot plugin install tidy-up@tiny-prompts'],
    'Gemini CLI': [`${skills}/agents/tidy-up --agent gemini-cli`],
    'GitHub CLI': ['gh skill install ada/tiny plugins/tidy-up/skills/tidy-up@install'],
    'Other assistants': [`${skills}/agents/tidy-up`],
    MCP: ['https://tiny.example/p/api/mcp'],
    'Plain text': ['curl -fsS -o tidy-up.txt https://tiny.example/p/agents/tidy-up/prompt.txt'],
  });
});

test('a repository whose name contains .git keeps it', () => {
  const repository = 'https://github.com/ada/ada.github.io.git';
  const { Codex, 'GitHub CLI': forge } = pasted({ ...source, repository }, agent);
  assert.is(Codex?.[0], 'codex plugin marketplace add ada/ada.github.io@install');
  assert.equal(forge, ['gh skill install ada/ada.github.io plugins/tidy-up/skills/tidy-up@install']);
});

test('the whole catalog has one too, where a client can take it', () => {
  const config = Buffer.from('{"url":"https://tiny.example/p/api/mcp"}').toString('base64');
  assert.equal(pasted(source, null), {
    'Claude and ChatGPT': ['https://tiny.example/p/api/mcp'],
    'Claude Code': [addToClaude],
    'VS Code': [vscode, ''],
    Cursor: [
      `cursor://anysphere.cursor-deeplink/mcp/install?name=tiny-prompts&config=${encodeURIComponent(config)}`,
      '',
    ],
    Codex: [addToCodex],
    'Copilot CLI': [addToCopilot],
    'Gemini CLI': ['gemini extensions install https://github.com/ada/tiny --ref=install'],
    'Other assistants': [skills],
    MCP: ['https://tiny.example/p/api/mcp'],
  });
});

test('for a title that Claude Code keeps for its vendor, the server takes the title, and the marketplace the host', () => {
  const ways = installWays({ ...source, title: 'Claude Prompts' })(null);
  const named = ways.map(({ name, remove }) => [name, /tiny-example|claude-prompts/.exec(remove)?.[0]]);
  assert.equal(Object.fromEntries(named.filter(([, name]) => name !== undefined)), {
    'Claude Code': 'tiny-example',
    Cursor: 'claude-prompts',
    Codex: 'tiny-example',
    'Copilot CLI': 'tiny-example',
    'Gemini CLI': 'tiny-example',
  });
});

test('every way says how to remove the agent, and no text has an unfilled value', () => {
  for (const one of [agent, null]) {
    for (const way of installWays(source)(one)) {
      assert.match(way.remove, /^(?:Run|Delete|Right-click|Uninstall|Remove) /, way.name);
      assert.not.match(JSON.stringify(way), /\{\w+\}|undefined/, way.name);
    }
  }
});

test('a repository elsewhere than on GitHub is named by its address, and GitHub CLI is left out', () => {
  const elsewhere = pasted({ ...source, repository: 'https://git.example/~ada/tiny.git' }, agent);
  assert.equal(elsewhere.Codex?.[0], 'codex plugin marketplace add https://git.example/~ada/tiny.git --ref install');
  assert.equal(
    elsewhere['Copilot CLI']?.[0],
    'copilot plugin marketplace add "https://git.example/~ada/tiny.git#install"',
  );
  // VS Code decodes the query as a whole, and then once more (microsoft/vscode, URI.parse and pluginUrlHandler.ts).
  const parameter = (link = '', name = '') => {
    const text = new URLSearchParams(decodeURIComponent(new URL(link).search)).get(name) ?? '';
    assert.match(text, /^[\w-]+=*$/);
    return Buffer.from(text, 'base64').toString();
  };
  assert.is(parameter(elsewhere['VS Code']?.[0], 'ref'), 'https://git.example/~ada/tiny.git#install');
  assert.not('GitHub CLI' in elsewhere);
  const mcp = 'https://a.example/~ada/api/mcp';
  assert.equal(JSON.parse(parameter(pasted({ ...source, mcp }, null).Cursor?.[0], 'config')), { url: mcp });
});

const poorer: [what: string, change: Partial<InstallSource>, agent: string[], catalog: string[], hints: string[]][] = [
  [
    'a repository',
    { repository: null },
    ['Claude and ChatGPT', 'Claude Code', 'Cursor', 'Gemini CLI', 'Other assistants', 'MCP', 'Plain text'],
    ['Claude and ChatGPT', 'Claude Code', 'Cursor', 'Gemini CLI', 'Other assistants', 'MCP'],
    [
      'Set `repository` in catalog.config.json, so that pages also show how to install in VS Code, Codex, Copilot CLI, and GitHub CLI.',
    ],
  ],
  [
    'https',
    { site: 'http://localhost:3000' },
    [
      ...'Claude and ChatGPT,VS Code,Cursor,Codex,Copilot CLI,Gemini CLI,GitHub CLI,Other assistants,MCP,Plain text'.split(
        ',',
      ),
    ],
    ['Claude and ChatGPT', 'VS Code', 'Cursor', 'Codex', 'Copilot CLI', 'Gemini CLI', 'Other assistants', 'MCP'],
    ['Use an https address as `baseUrl`, which Claude Code requires to install agents.'],
  ],
  [
    'a server',
    { mcp: null, repository: null },
    ['Claude and ChatGPT', 'Claude Code', 'Cursor', 'Gemini CLI', 'Other assistants', 'Plain text'],
    ['Claude Code', 'Cursor', 'Gemini CLI', 'Other assistants'],
    [
      'Set `repository` in catalog.config.json, so that pages also show how to install in VS Code, Codex, Copilot CLI, and GitHub CLI.',
    ],
  ],
];
for (const [what, change, forAgent, forCatalog, hints] of poorer) {
  test(`without ${what}, the clients that need it are left out, and a hint names them`, () => {
    const given = { ...source, ...change };
    assert.equal(Object.keys(pasted(given, agent)), forAgent);
    assert.equal(Object.keys(pasted(given, null)), forCatalog);
    assert.equal(installHints(given), hints);
  });
}

test('nothing is left out, and no hint given, if the publication has everything', () =>
  assert.equal(installHints(source), []));

test('without a server and a repository, Cursor and Gemini CLI get the catalog as skills', () => {
  const { Cursor, 'Gemini CLI': gemini } = pasted({ ...source, mcp: null, repository: null }, null);
  assert.equal([Cursor, gemini], [[`${skills} --agent cursor`], [`${skills} --agent gemini-cli`]]);
});

test('Cursor gets no link that is longer than it opens, nor one without a prompt', () => {
  const own = 'https://cursor.com/link/command?name=tidy-up&text='.length;
  const link = (prompt?: string) => {
    const { prompt: _, ...rest } = agent;
    return pasted(source, prompt === undefined ? rest : { ...rest, prompt }).Cursor;
  };
  assert.is(link('x'.repeat(8000 - own))?.[0]?.length, 8000);
  const command = [`${skills}/agents/tidy-up --agent cursor`];
  assert.equal([link('x'.repeat(8001 - own)), link('é'.repeat(1400)), link()], [command, command, command]);
});

test('no address in a command contains anything that a shell would run', () => {
  const hostile = {
    title: '$(id) `id` "; id',
    site: 'https://tiny.example/$(id)',
    mcp: 'https://[::1]:3000/~a_b/é`id`/api/mcp',
    repository: 'https://git.example/ada/tiny',
  };
  const one = { slug: 'tidy-up', promptUrl: 'https://tiny.example/$(id)&b/prompt.txt' };
  for (const way of [one, null].flatMap(installWays(hostile))) {
    assert.not.match(`${way.url} ${way.paste}`, /[$`()]|; id/, way.name);
  }
  assert.equal(pasted(hostile, one).MCP, ['https://[::1]:3000/~a_b/%C3%A9%60id%60/api/mcp']);
  assert.equal(pasted(hostile, one)['Plain text'], [
    'curl -fsS -o tidy-up.txt https://tiny.example/%24%28id%29%26b/prompt.txt',
  ]);
});

test('a marketplace never has a name that Claude Code keeps for its vendor', () => {
  const names = [
    ['Claude prompts', 'https://press.example', 'press-example'],
    ['Claude prompts', 'https://claude.example', 'agents'],
    ['Agent skills', 'https://anthropic.example/a', 'agents'],
    ['Agent skills for all', 'https://claude.example', 'agent-skills-for-all'],
    ['Life Sciences', 'https://press.example', 'press-example'],
    ['Knowledge-work plugins', 'https://press.example', 'press-example'],
  ] as const;
  for (const [title, baseUrl, name] of names) assert.is(marketplaceName({ title, baseUrl }), name, title);
});

test('the name of a marketplace has ASCII letters and no hyphen at its end, whatever the title is', () => {
  const names = [
    ['Ｔｉｎｙ Prömpts!', 'tiny-prompts'],
    [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
    ['プロンプト', 'agents'],
  ] as const;
  for (const [title, name] of names) assert.is(marketplaceName({ title, baseUrl: 'https://press.example' }), name);
});

test.run();
