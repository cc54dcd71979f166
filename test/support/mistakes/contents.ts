import { agentMd, file, front, type Mistake, md, prompt } from './row.ts';

/** Mistakes in what an agent consists of besides its front matter: how it works, the prompt and the config. */
export const contentMistakes: Mistake[] = [
  ...(
    [
      ['a link that opens a program', '[Install](vscode:extension/a.b)', 'link', '33:11'],
      ['a link that runs a script', '[x](javascript:alert(1))', 'link', '33:5'],
      ['a link to a program without brackets', 'See <cursor://a/b>.', 'link', '33:6'],
      ['a link by reference to a program', 'See [it].\n\n[it]: ms-msdt:/id', 'link', '35:7'],
      ['a link written with entities', 'Well:\n[x](java&Tab;script:alert(1))', 'link', '33:1'],
      ['a link to data', '[x](DATA:text/html,hi)', 'link', '33:5'],
      ['a link with a user name', '[Sign in](https://accounts.google.com@evil.example)', 'link', '33:11'],
      ['a link with a backslash', '[x](https:\\evil.example)', 'link', '33:5'],
      ['a link that leaves out the scheme', '[x](//evil.example)', 'link', '33:5'],
      ['an image from another site', 'Look: ![A cat](https://evil.example/c.png)', 'image', '33:16'],
      ['an image by reference', '![A cat][c]\n\n[c]: /c.png', 'image', '35:6'],
      ['HTML that loads an image', 'Look: <img src="https://evil.example/c.png">', 'html', '33:7'],
      ['too many headings', '# a\n'.repeat(101), 'size', '133:1'],
      ['lists in lists in lists', `${'- '.repeat(21)}a`, 'size', '33:1'],
    ] as const
  ).map(
    ([name, text, rule, at]): Mistake => ({
      name,
      code: `markdown/${rule}`,
      at: `${md}:${at}`,
      agents: file('agent.md', agentMd.replace(/(It works.*\n)/, `$1\n${text}\n`)),
    }),
  ),
  {
    name: 'a prompt without RULES',
    code: 'prompt/sections',
    at: 'agents/one/prompt.txt:1:1',
    agents: file('prompt.txt', prompt.replace('RULES\n', '')),
  },
  {
    name: 'a section twice',
    code: 'prompt/sections',
    at: 'agents/one/prompt.txt:9:1',
    agents: file('prompt.txt', `${prompt}INPUT again\n`),
  },
  {
    name: 'sections out of order',
    code: 'prompt/sections',
    at: 'agents/one/prompt.txt:1:1',
    agents: file('prompt.txt', 'RULES\nx\n\nINPUT\ny\n\nOUTPUT\nz\n'),
  },
  {
    name: 'a config that a browser would show as a page',
    code: 'config/extension',
    at: 'agents/one/config.html:1:1',
    agents: file('config.html', '<p>hello</p>\n'),
  },
  {
    name: 'a config that is a script',
    code: 'config/extension',
    at: 'agents/one/config.mjs:1:1',
    agents: file('config.mjs', 'export {};\n'),
  },
  {
    name: 'a config whose extension has capitals',
    code: 'config/extension',
    at: 'agents/one/config.JSON:1:1',
    agents: file('config.JSON', '{}\n'),
  },
  {
    name: 'a config that is not JSON',
    code: 'config/json',
    at: 'agents/one/config.json:2:9',
    agents: file('config.json', '{\n  "a": 1,\n}\n'),
  },
  {
    name: 'a config file name without a config',
    code: 'config/filename',
    at: `${md}:30:1`,
    agents: front({ configFilename: 'x.json' }),
  },
  {
    name: 'an imported agent whose license does not allow publication',
    code: 'source/license',
    at: `${md}:31:12`,
    agents: front({ source: '\n  license: MIT' }),
  },
];
