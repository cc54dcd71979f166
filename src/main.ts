import { Command, CommanderError } from 'commander';
import { addAlert } from './commands/alert.ts';
import { addBuild } from './commands/build.ts';
import { addDeliver } from './commands/deliver.ts';
import { addInit } from './commands/init.ts';
import { addLive } from './commands/live.ts';
import { addMcp } from './commands/mcp.ts';
import { addNew } from './commands/new.ts';
import { addPublish } from './commands/publish.ts';
import { addRename } from './commands/rename.ts';
import { addServe } from './commands/serve.ts';
import { addSignups } from './commands/signups.ts';
import { addStatus } from './commands/status.ts';
import { addValidate } from './commands/validate.ts';
import { addVotes } from './commands/votes.ts';
import { Console } from './console.ts';
import { ContentError, OperationError, UsageError } from './diagnostics.ts';
import { GitError } from './git/run.ts';
import { programVersion } from './program.ts';
import { prettyReport } from './report.ts';
import { explainSystemError } from './system-errors.ts';

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
