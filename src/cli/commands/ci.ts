import type { Command } from 'commander';
import type { Console } from '../console.ts';
import { addCiIntake } from './ci-intake.ts';
import { addCiNotify } from './ci-notify.ts';
import { addCiVerify } from './ci-verify.ts';

/** The commands that only workflows use. */
export function addCi(program: Command, terminal: Console): void {
  const ci = program
    .command('ci')
    .description('commands for workflows')
    .addHelpText(
      'after',
      '\nExamples:\n  $ catalog ci verify --wait 300\n  $ catalog ci notify\n  $ catalog ci intake\n',
    );
  addCiVerify(ci, terminal);
  addCiNotify(ci, terminal);
  addCiIntake(ci, terminal);
}
