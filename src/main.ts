import { Command, CommanderError } from 'commander';
import { addBuild } from './cli/commands/build.ts';
import { addCiNotify } from './cli/commands/ci-notify.ts';
import { addCiVerify } from './cli/commands/ci-verify.ts';
import { addDeploy } from './cli/commands/deploy.ts';
import { addInit } from './cli/commands/init.ts';
import { addMcp } from './cli/commands/mcp.ts';
import { addNew } from './cli/commands/new.ts';
import { addPublish } from './cli/commands/publish.ts';
import { addRename } from './cli/commands/rename.ts';
import { addServe } from './cli/commands/serve.ts';
import { addStatus } from './cli/commands/status.ts';
import { addSubscribers } from './cli/commands/subscribers.ts';
import { addValidate } from './cli/commands/validate.ts';
import { addVotes } from './cli/commands/votes.ts';
import { Console } from './cli/console.ts';
import { prettyReport } from './diagnostics/report.ts';
import { ContentError, explainSystemError, OperationError, UsageError } from './errors.ts';
import { GitError } from './git/run.ts';
import { programVersion } from './program.ts';

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
  const program = createProgram(terminal);
  try {
    await program.parseAsync(argv);
    return terminal.exitCode;
  } catch (failure) {
    return explainFailure(failure, terminal);
  }
}

/** The command line with every command, which prints on `terminal`. */
export function createProgram(terminal: Console): Command {
  const program = new Command('catalog')
    .description('Publish one reusable AI prompt a day from a Git repository.')
    .version(programVersion, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.print(text), writeErr: (text) => terminal.say(text) })
    .showHelpAfterError('Run the command with --help for its arguments and options.')
    .addHelpText(
      'after',
      `
Examples:
  $ catalog init my-catalog       start your own catalog
  $ catalog new                   start an agent on the next free date
  $ catalog validate              check every agent
  $ catalog status                show the schedule
  $ catalog publish --dry-run     show what would be published today
  $ catalog build                 render the site into dist/
  $ catalog serve --build         build and serve the site, and rebuild it every midnight
  $ catalog mcp                   serve the catalog to an assistant over stdio
  $ catalog votes                 report the votes of readers
`,
    );
  const groups: [heading: string, commands: ((program: Command, terminal: Console) => void)[]][] = [
    ['Writing:', [addInit, addNew, addRename, addValidate, addStatus]],
    ['Publishing:', [addPublish, addBuild, addDeploy, addCi]],
    ['Running:', [addServe, addMcp, addVotes, addSubscribers]],
  ];
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, terminal);
  }
  inheritSettings(program);
  return program;
}

/** The commands that only workflows use. */
function addCi(program: Command, terminal: Console): void {
  const ci = program
    .command('ci')
    .description('commands for workflows')
    .addHelpText('after', '\nExamples:\n  $ catalog ci verify --wait 300\n  $ catalog ci notify\n');
  addCiVerify(ci, terminal);
  addCiNotify(ci, terminal);
}

/** Makes every command, including subcommands, use our output and error handling. */
function inheritSettings(parent: Command): void {
  for (const command of parent.commands) inheritSettings(command.copyInheritedSettings(parent));
}

function explainFailure(error: unknown, terminal: Console): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    terminal.say(`error: ${error.message}\n`);
    return 2;
  }
  if (error instanceof ContentError) {
    terminal.say(`${prettyReport(error.diagnostics, { color: terminal.color })}\n`);
    return 1;
  }
  if (error instanceof OperationError) {
    terminal.say(`error: ${error.message}\n`);
    return 1;
  }
  const outside = explainSystemError(error) ?? (error instanceof GitError ? `git failed: ${error.message}` : null);
  if (outside !== null) {
    terminal.say(`error: ${outside}\n`);
    return 1;
  }
  terminal.say(
    `${error instanceof Error ? error.stack : String(error)}\n\nThis is a bug in catalog, not an error in your files. Please report it with the lines above.\n`,
  );
  return 1;
}
