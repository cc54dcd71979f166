import type { Command } from 'commander';

/**
 * Returns arguments of the command line with `help votes redact` and `votes help redact` as `votes redact --help`. They end
 * with the first name that is no command, and parsing them then fails like that of any unknown command.
 */
export function withHelpOption(program: Command, args: readonly string[]): string[] {
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
    if (next === undefined) return isHelp ? path : [...args];
    command = next;
  }
  return isHelp ? [...path, '--help'] : [...args];
}

/**
 * Makes a command that has subcommands, but also does something without one, call any other word an unknown command.
 * Otherwise it would say that there are too many arguments.
 */
export function refuseUnknownSubcommands(parent: Command): void {
  if (parent.commands.length === 0 || parent.registeredArguments.length > 0) return;
  parent.allowExcessArguments();
  parent.hook('preAction', async (_parent, called) => {
    const [word] = called.args;
    if (called !== parent || word === undefined) return;
    const { nearest } = await import('../diagnostics/suggestions.ts');
    const similar = nearest(
      word,
      parent.commands.map((command) => command.name()),
    );
    const suggestion = similar === undefined ? '' : `\n(Did you mean ${similar}?)`;
    parent.error(`error: unknown command '${word}'${suggestion}`, { code: 'commander.unknownCommand' });
  });
}
