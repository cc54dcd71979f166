import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { OperationError, UsageError } from '../../errors.ts';
import type { Push } from '../../github/intake/reply.ts';
import { parseBoundedJson } from '../../text-safety/bounded-input.ts';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, openContent, todayOption } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today'> {
  reply?: Push;
}

export function addCiIntake(ci: Command, terminal: Console): void {
  ci.command('intake')
    .description('turn a GitHub issue with the form "Propose an agent" into a draft')
    .addOption(cwdOption())
    .addOption(todayOption())
    .addOption(
      new Option(
        '--reply <state>',
        'answer in the GitHub issue, and open a pull request once the draft is pushed',
      ).choices(['pushed', 'changed', 'failed'] satisfies Push[]),
    )
    .addHelpText(
      'after',
      '\nReads the event in GITHUB_EVENT_PATH, and writes the draft into agents/. --reply needs GITHUB_REPOSITORY and GITHUB_TOKEN.\n' +
        '\nExamples:\n  $ catalog ci intake\n  $ catalog ci intake --reply pushed\n',
    )
    .action((flags: Flags) => intake(flags, terminal));
}

async function intake(flags: Flags, terminal: Console): Promise<void> {
  const { isFromForm, readFormFields } = await import('../../github/intake/form.ts');
  const { takeIn } = await import('../../github/intake/proposal.ts');
  const { reply, submissionOf } = await import('../../github/intake/reply.ts');
  const { issueTracker } = await import('../../github/issues.ts');
  const { writeOutputs } = await import('../../github/step-files.ts');
  const submission = submissionOf(readEvent(process.env));
  const { cwd, settings, today, content: calendar } = await openContent(flags);
  const fields = readFormFields(cwd);
  if (!isFromForm(submission.body, fields)) {
    terminal.say(`GitHub issue ${submission.number} was not written with the form "Propose an agent".\n`);
    return;
  }
  const taken = await takeIn(submission.body, fields, { cwd, settings, today, calendar });
  const { draft, problems, advice } = taken;
  terminal.say(
    draft === null
      ? `GitHub issue ${submission.number} cannot become a draft:\n${problems.map((each) => `  ${each}\n`).join('')}`
      : `agents/${draft.slug} is the draft of GitHub issue ${submission.number}.\n${advice.map((each) => `  ${each}\n`).join('')}`,
  );
  if (flags.reply === undefined) {
    writeOutputs(process.env, { today, proposal: 'true', slug: draft?.slug ?? '' });
    return;
  }
  const checklist = join(cwd, '.github/PULL_REQUEST_TEMPLATE.md');
  await reply(
    submission,
    taken,
    flags.reply,
    issueTracker(process.env),
    existsSync(checklist) ? readFileSync(checklist, 'utf8').trim() : '',
  );
}

/** Reads the event that started the workflow. Texts of strangers come from this file and nowhere else. */
function readEvent({ GITHUB_EVENT_PATH }: NodeJS.ProcessEnv): unknown {
  if (!GITHUB_EVENT_PATH) throw new UsageError('GITHUB_EVENT_PATH is not set; GitHub Actions sets it.');
  try {
    return parseBoundedJson(readFileSync(GITHUB_EVENT_PATH, 'utf8'));
  } catch (error) {
    throw new OperationError(`The event in ${GITHUB_EVENT_PATH} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
