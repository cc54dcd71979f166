/** What clients want in order to install agents, as a table. Pages, MCP, the install tree and the docs are made from it. */

/**
 * One way to install. Texts are Markdown with code only, and contain values of the publication in braces
 * (`install-ways.ts` has them all).
 */
export interface WayTexts {
  /** What the link or the text to paste does, and what it needs. */
  use: string;
  /** A link that opens the client. */
  url?: string;
  /** Commands for a shell, one a line, or an address. */
  paste?: string;
  update: string;
  remove: string;
}

/** For one agent and for the whole catalog: the ways, best first. The first one whose values all exist is used. */
interface Ways {
  agent?: readonly WayTexts[];
  catalog?: readonly WayTexts[];
}

const again = 'Run the command again.';

/** The program `skills` installs for a client of these arguments, without a marketplace. `where` ends a sentence. */
const skills = (where: string, client = ''): Required<Ways> => ({
  agent: [
    {
      use: `Installs this agent as a skill ${where}. Needs Node.js.`,
      paste: `npx skills add {site} --skill {slug}${client}`,
      update: again,
      remove: 'Run `npx skills remove {slug}`.',
    },
  ],
  catalog: [
    {
      use: `Installs the agents that you choose as skills ${where}. Needs Node.js.`,
      paste: `npx skills add {site}${client}`,
      update: again,
      remove: 'Run `npx skills remove` and choose the agents.',
    },
  ],
});
const cursor = skills('of the current project', ' --agent cursor');
const gemini = skills('of the current project', ' --agent gemini-cli');

const plugin = '{slug}@{marketplace}';

/**
 * A program with the commands `<program> plugin …`. `source` is the catalog as its marketplace, `choose` says how to install
 * from it, and the others are the names of its commands, with their arguments for one agent.
 */
const plugins = (
  program: string,
  source: string,
  { choose, needs = '', install, refresh, update, remove }: Record<string, string>,
): Ways => {
  const add = `${program} plugin marketplace add ${source}`;
  const fresh = `Run \`${program} plugin marketplace ${refresh} {marketplace}\``;
  return {
    agent: [
      {
        use: `Adds the catalog as a plugin marketplace, and installs this agent from it.${needs}`,
        paste: `${add}\n${program} plugin ${install} ${plugin}`,
        update: `${fresh}, then \`${program} plugin ${update}\`.`,
        remove: `Run \`${program} plugin ${remove}\`.`,
      },
    ],
    catalog: [
      {
        use: `Adds the catalog as a plugin marketplace. Then ${choose}.${needs}`,
        paste: add,
        update: `${fresh}.`,
        remove: `Run \`${program} plugin marketplace remove {marketplace}\`.`,
      },
    ],
  };
};

const vscode = (install: string, remove: string): WayTexts[] => [
  {
    use: `The link adds the catalog as a plugin marketplace, once you confirm it. Then search for \`@agentPlugins\` in the Extensions view, and install ${install}. If the link does nothing, update VS Code.`,
    url: '{vscodeLink}',
    update: 'VS Code updates plugins together with extensions.',
    remove,
  },
];

const server: readonly WayTexts[] = [
  {
    use: 'Add this address to any assistant that supports MCP. It then finds the agent for a task, and always has the newest agents. The page for developers shows the steps for each assistant.',
    paste: '{mcp}',
    update: 'There is nothing to update.',
    remove: 'Delete the server in the settings of the assistant.',
  },
];

/** All clients, in the order in which pages show them. */
export const clients: readonly (Ways & { name: string })[] = [
  {
    name: 'Claude Code',
    ...plugins('claude', '{https}/marketplace.json', {
      choose: 'type `/plugin` and choose agents',
      needs: ' Needs Claude Code 2.1.224 or later.',
      install: 'install',
      refresh: 'update',
      update: `update ${plugin}`,
      remove: `uninstall ${plugin}`,
    }),
  },
  {
    name: 'VS Code',
    agent: vscode('`{slug}`', 'Right-click `{slug}` in the view Agent Plugins - Installed, and choose Uninstall.'),
    catalog: vscode(
      'the agents that you want',
      'Run `Chat: Manage Plugin Marketplaces` from the Command Palette, and remove the catalog.',
    ),
  },
  {
    name: 'Cursor',
    agent: [
      {
        use: 'The link saves the prompt as the command `/{slug}` of the open project, once you confirm it. The command below installs the agent as a skill instead, and needs Node.js.',
        url: '{cursorCommandLink}',
        paste: 'npx skills add {site} --skill {slug} --agent cursor',
        update: 'Open the link or run the command again.',
        remove: 'Delete `.cursor/commands/{slug}.md`, or run `npx skills remove {slug}`.',
      },
      ...cursor.agent,
    ],
    catalog: [
      {
        use: 'The link connects Cursor to the catalog over MCP, once you confirm it. Cursor then finds the agent for a task.',
        url: '{cursorServerLink}',
        update: 'There is nothing to update.',
        remove: 'Delete the server `{server}` in the MCP settings of Cursor.',
      },
      ...cursor.catalog,
    ],
  },
  {
    name: 'Codex',
    ...plugins('codex', '{codexSource}', {
      choose: 'type `/plugins` and choose agents',
      install: 'add',
      refresh: 'upgrade',
      update: `add ${plugin}`,
      remove: `remove ${plugin}`,
    }),
  },
  {
    name: 'Copilot CLI',
    ...plugins('copilot', '"{branch}"', {
      choose: 'list its agents with `copilot plugin marketplace browse {marketplace}`',
      install: 'install',
      refresh: 'update',
      update: 'update {slug}',
      remove: 'uninstall {slug}',
    }),
  },
  {
    name: 'Gemini CLI',
    agent: gemini.agent,
    catalog: [
      {
        use: 'Installs the newest 50 agents as one extension.',
        paste: 'gemini extensions install {repository} --ref=install',
        update: 'Run `gemini extensions update {marketplace}`.',
        remove: 'Run `gemini extensions uninstall {marketplace}`.',
      },
      ...gemini.catalog,
    ],
  },
  {
    name: 'GitHub CLI',
    agent: [
      {
        use: 'Installs this agent as a skill in the assistants that you choose. Needs GitHub CLI 2.90 or later.',
        paste: 'gh skill install {github} plugins/{slug}/skills/{slug}@install',
        update: 'Run the command again with `--force`.',
        remove: 'Delete the folder that the command names.',
      },
    ],
  },
  { name: 'Other assistants', ...skills('in the assistants that you choose') },
  { name: 'MCP', agent: server, catalog: server },
  {
    name: 'Plain text',
    agent: [
      {
        use: 'Saves the prompt as a file.',
        paste: 'curl -fsS -o {slug}.txt {promptUrl}',
        update: again,
        remove: 'Delete the file.',
      },
    ],
  },
];
