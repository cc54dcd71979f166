import { Command, CommanderError } from 'commander';
import { addBuild } from './cli/commands/build.ts';
import { addAlert } from './cli/commands/ci-notify.ts';
import { addLive } from './cli/commands/ci-verify.ts';
import { addDeliver } from './cli/commands/deploy.ts';
import { addInit } from './cli/commands/init.ts';
import { addMcp } from './cli/commands/mcp.ts';
import { addNew } from './cli/commands/new.ts';
import { addPublish } from './cli/commands/publish.ts';
import { addRename } from './cli/commands/rename.ts';
import { addServe } from './cli/commands/serve.ts';
import { addStatus } from './cli/commands/status.ts';
import { addSignups } from './cli/commands/subscribers.ts';
import { addValidate } from './cli/commands/validate.ts';
import { addVotes } from './cli/commands/votes.ts';
import { Console } from './cli/console.ts';
import { ContentError, OperationError, UsageError } from './diagnostics/diagnostic.ts';
import { prettyReport } from './diagnostics/report.ts';
import { explainSystemError } from './errors.ts';
import { GitError } from './git/run.ts';
import { programVersion } from './program.ts';

/**
 * Runs the command line `argv` (as in process.argv) and returns the exit code: 0 well, 1 an error in the content or at
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

function createProgram(terminal: Console): Command {
  const program = new Command('catalog')
    .description('A publication of one reusable agent prompt a day, from folders of text files.')
    .version(programVersion, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.print(text), writeErr: (text) => terminal.say(text) })
    .showHelpAfterError('Run the command with --help to see what it takes.')
    .addHelpText(
      'after',
      `
Examples:
  $ catalog init my-catalog       start a catalog of your own
  $ catalog new                   start an agent on the next free date
  $ catalog validate              check every agent
  $ catalog status                what is published, due and coming
  $ catalog publish --dry-run     what today brings
  $ catalog build                 render the site into dist/
  $ catalog serve --build         build, serve, and build again at midnight
  $ catalog mcp                   serve the catalog to an assistant over stdio
  $ catalog votes                 what readers think of the agents
`,
    );
  const commands = [
    ...[
      addInit,
      addNew,
      addRename,
      addValidate,
      addStatus,
      addPublish,
      addBuild,
      addServe,
      addMcp,
      addVotes,
      addSignups,
    ],
    ...[addDeliver, addLive, addAlert],
  ];
  for (const add of commands) add(program, terminal);
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program;
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
    `${error instanceof Error ? error.stack : String(error)}\n\nThis is a fault of the program, not of your catalog. Please report it with the lines above.\n`,
  );
  return 1;
}
