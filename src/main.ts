import { type Command, CommanderError } from 'commander';
import { Console } from './cli/console.ts';
import { inCurrentNames, launcher } from './cli/former-names.ts';
import { CatalogCommand } from './cli/options.ts';
import { explainSystemError, OperationError, UsageError } from './lib/errors.ts';
import { programVersion } from './program.ts';
import { ContentError } from './schema/diagnostics/content-error.ts';

type Add = (program: CatalogCommand, terminal: Console) => void;

/** Loads each command, by the groups of the help. */
const commands: Record<string, Record<string, () => Promise<Add>>> = {
  'Writing:': {
    init: async () => (await import('./cli/commands/init.ts')).addInit,
    new: async () => (await import('./cli/commands/new.ts')).addNew,
    import: async () => (await import('./cli/commands/import.ts')).addImport,
    rename: async () => (await import('./cli/commands/rename.ts')).addRename,
    dev: async () => (await import('./cli/commands/dev.ts')).addDev,
    validate: async () => (await import('./cli/commands/validate.ts')).addValidate,
    eval: async () => (await import('./cli/commands/eval.ts')).addEval,
    fix: async () => (await import('./cli/commands/fix.ts')).addFix,
    status: async () => (await import('./cli/commands/status.ts')).addStatus,
    upgrade: async () => (await import('./cli/commands/upgrade.ts')).addUpgrade,
  },
  'Publishing:': {
    publish: async () => (await import('./cli/commands/publish.ts')).addPublish,
    build: async () => (await import('./cli/commands/build.ts')).addBuild,
    announce: async () => (await import('./cli/commands/announce.ts')).addAnnounce,
    deploy: async () => (await import('./cli/commands/deploy.ts')).addDeploy,
    ci: async () => (await import('./cli/commands/ci.ts')).addCi,
  },
  'Running:': {
    serve: async () => (await import('./cli/commands/serve.ts')).addServe,
    mcp: async () => (await import('./cli/commands/mcp.ts')).addMcp,
    verify: async () => (await import('./cli/commands/verify.ts')).addVerify,
    votes: async () => (await import('./cli/commands/votes.ts')).addVotes,
    subscribers: async () => (await import('./cli/commands/subscribers.ts')).addSubscribers,
    db: async () => (await import('./cli/commands/db.ts')).addDb,
  },
};

/**
 * Runs the command line `argv` (as in process.argv) and returns the exit code: 0 success, 1 an error in the catalog or at
 * run time, 2 wrong usage.
 */
export async function main(
  argv: readonly string[],
  out: NodeJS.WritableStream = process.stdout,
  error: NodeJS.WritableStream = process.stderr,
): Promise<number> {
  const terminal = new Console(out, error, process.env);
  try {
    const words = inCurrentNames(argv.slice(2), (notice) => terminal.say(notice));
    const program = await createProgram(terminal, words[0]);
    await program.parseAsync(withHelpOption(program, words), { from: 'user' });
    return terminal.exitCode;
  } catch (failure) {
    return await explainFailure(failure, terminal);
  }
}

/**
 * Returns arguments of the command line with `help votes redact` and `votes help redact` as `votes redact --help`. If they
 * ask for help, they end with the first name that is no command, and parsing them then fails as for any unknown command.
 */
function withHelpOption(program: Command, args: readonly string[]): string[] {
  const path: string[] = [];
  let command = program;
  let isHelp = false;
  for (const word of args) {
    if (command.commands.length === 0 || word.startsWith('-')) break;
    if (word === 'help') {
      isHelp = true;
      continue;
    }
    path.push(word);
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return isHelp || args.includes('--help') || args.includes('-h') ? path : [...args];
    command = next;
  }
  return isHelp ? [...path, '--help'] : [...args];
}

/**
 * Returns the command line, which prints on `terminal`. If `called` is the name of a command, it is the only one: loading the
 * others would take longer than what some commands do.
 */
export async function createProgram(terminal: Console, called = ''): Promise<Command> {
  const program = new CatalogCommand('catalog')
    .description('Publish one reusable AI prompt a day from a Git repository.')
    .version(programVersion, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.print(text), writeErr: (text) => terminal.say(text) })
    .explain(
      `
Examples:
  $ catalog init my-catalog       start your own catalog
  $ catalog new                   start an agent on the next free date
  $ catalog dev                   preview the site while you write
  $ catalog validate              check every agent
  $ catalog eval                  grade the recorded answers
  $ catalog status                show the schedule
  $ catalog publish --dry-run     show what would be published today
  $ catalog build                 render the site into dist/
  $ catalog serve --build         build and serve the site, and rebuild it every midnight
  $ catalog mcp                   serve the catalog to an assistant over stdio
  $ catalog votes                 report the votes of readers
`,
    );
  const isCommand = Object.values(commands).some((group) => Object.hasOwn(group, called));
  for (const [heading, group] of Object.entries(commands)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(group)) {
      if (!isCommand || name === called) (await load())(program, terminal);
    }
  }
  inheritSettings(program);
  return program;
}

/** Makes every command, including subcommands, use our output and error handling. */
function inheritSettings(parent: Command, path = ''): void {
  parent.showHelpAfterError(`For help, run: ${launcher} help${path}`);
  for (const command of parent.commands) {
    inheritSettings(command.copyInheritedSettings(parent), `${path} ${command.name()}`);
    refuseUnknownSubcommands(command);
  }
}

/**
 * Makes a command that has subcommands, but also does something without one, call any other word an unknown command.
 * Otherwise it would say that there are too many arguments.
 */
function refuseUnknownSubcommands(parent: Command): void {
  if (parent.commands.length === 0 || parent.registeredArguments.length > 0) return;
  parent.allowExcessArguments();
  parent.hook('preAction', async (_parent, called) => {
    const [word] = called.args;
    if (called !== parent || word === undefined) return;
    const { nearest } = await import('./schema/diagnostics/suggestions.ts');
    const names = parent.commands.map((command) => command.name());
    const similar = nearest(word, names);
    const suggestion = similar === undefined ? '' : `\n(Did you mean ${similar}?)`;
    parent.error(`error: unknown command '${word}'${suggestion}`, { code: 'commander.unknownCommand' });
  });
}

async function explainFailure(error: unknown, terminal: Console): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || error instanceof OperationError) {
    terminal.say(`error: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
  if (error instanceof ContentError) {
    const { prettyReport } = await import('./schema/diagnostics/report.ts');
    terminal.say(`${prettyReport(error.diagnostics, { color: terminal.color })}\n`);
    return 1;
  }
  const { GitError } = await import('./lib/git.ts');
  const outside = explainSystemError(error) ?? (error instanceof GitError ? `git failed: ${error.message}` : null);
  const stack = error instanceof Error ? error.stack : String(error);
  const bug = 'This is a bug in catalog, not an error in your files. Please report it with the lines above.';
  terminal.say(outside === null ? `${stack}\n\n${bug}\n` : `error: ${outside}\n`);
  return 1;
}
