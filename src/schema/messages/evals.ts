import type { Messages, Wording } from '../diagnostics/diagnostic.ts';

/** Problems with evals/: its cases, their checks, and the recorded answers of models. */
export const evalMessages = {
  /** `wording` is for front matter. */
  notYaml: ({ message, hint }: Wording) => ({
    message: message.replace(/(the )?front matter/i, (_, the) => `${the ?? 'the '}file`),
    hint,
  }),

  /** `message` says why the answer was refused. Its own hint would be about a file that exists. */
  notStored: (message: string) => ({
    message,
    hint: 'Nothing was stored. Run the command again for a new answer.',
  }),

  checksFileMissing: (file: string) => ({
    message: `${file} is missing, so nothing says what the files in evals/ are for.`,
    hint: 'Add it, or remove the folder evals/.',
  }),

  slowPattern: {
    message: 'This regular expression takes more than half a second.',
    hint: 'Avoid a repetition inside a repetition, such as (a+)+.',
  },

  /** `proposal` is a file with a similar name, if there is one. */
  inputMissing: (file: string, caseName: string, proposal: string | undefined) => ({
    message: `${file}, the input of the case \`${caseName}\`, is missing.`,
    hint: proposal === undefined ? 'Add the file.' : `Did you mean ${proposal}?`,
  }),

  notAnInput: (name: string, checksFile: string) => ({
    message: `${name} is not the input of a case.`,
    hint: `Name it in ${checksFile} as the \`input\` of a case, or remove it.`,
  }),

  /** `proposal` is a file with a similar name, if there is one. */
  counterexampleMissing: (file: string, proposal: string | undefined) => ({
    message: `${file}, a wrong answer that this check must fail, is missing.`,
    hint: proposal === undefined ? 'Add the file, or remove the line.' : `Did you mean ${proposal}?`,
  }),

  counterexampleTwice: (file: string) => ({
    message: `Two checks name ${file}.`,
    hint: 'Leave it at the check that must fail it. It may fail others too.',
  }),

  counterexampleUnnamed: (file: string, checksFile: string) => ({
    message: `No check in ${checksFile} names ${file}.`,
    hint: 'Name it in `catches` of the check that must fail it, with what is wrong, or remove the file.',
  }),

  /** `failing` are the kinds of the checks that it fails. */
  counterexamplePasses: (name: string, failing: readonly string[]) => ({
    message:
      failing.length === 0
        ? `The wrong answer ${name}.txt passes every check.`
        : `The wrong answer ${name}.txt passes this check. It fails only ${failing.join(', ')}.`,
    hint:
      failing.length === 0
        ? 'Change the check so that it fails this answer, or remove the answer.'
        : 'Change this check so that it fails this answer, or name the answer at the check that it fails.',
  }),

  counterexampleCopied: (name: string, other: string) => ({
    message: `The wrong answer ${name}.txt is the same text as ${other}.`,
    hint: 'Make it wrong in the way that it says, and in no other.',
  }),

  checkUnproven: {
    message: 'No wrong answer in evals/counterexamples/ fails this check.',
    hint: 'Add one, and name it in `catches` of this check, with what is wrong. Or remove the check.',
  },

  whyMissing: {
    message: 'This check has no `why`, so readers see only its pattern.',
    hint: 'Add `why` with a sentence that says what a good answer does, such as "The late row is not called certain."',
  },

  outsideModelFolder: (name: string) => ({
    message: `${name} is not in the folder of a model.`,
    hint: 'Move it into evals/recordings/<model>/, or remove it.',
  }),

  /** `proposal` is a similar name that is allowed. */
  modelFolderName(name: string, proposal: string, isReserved: boolean): Wording {
    const rule = isReserved
      ? 'Windows reserves it for a device'
      : 'it has to be lowercase letters and digits, with single hyphens or dots between them';
    return {
      message: `"${name}" can't be the name of a model's folder: ${rule}.`,
      hint: `Rename the folder, for example to ${proposal}.`,
    };
  },

  recordingFileMissing: (file: string) => ({
    message: `${file} is missing, so nothing says which model gave these answers.`,
    hint: 'Record the answers again with `npx --no daily-agent-catalog eval --record --stale --model <model>`, or remove the folder.',
  }),

  /** `isCase` says whether the file is named after a case, `isBeyond` whether the case has no such turn. */
  answerWithoutEntry: (name: string, isCase: boolean, isBeyond: boolean) => ({
    message: isBeyond
      ? `The case in evals/checks.yaml has no turn for ${name}.`
      : `recording.json has no entry for ${name}.`,
    hint: isBeyond
      ? 'Add what the person says to `turns` of the case, or remove the file.'
      : isCase
        ? 'Record it again with `npx --no daily-agent-catalog eval --record --stale --model <model>`, or remove the file.'
        : 'Name it after a case, <case>.txt or <case>.without-prompt.txt, or remove it.',
  }),

  /** `proposal` is a case with a similar name, if there is one. */
  unknownCase: (name: string, proposal: string | undefined) => ({
    message: `There is no case \`${name}\` in evals/checks.yaml.`,
    hint: proposal === undefined ? 'Add the case, or remove its recordings.' : `Did you mean \`${proposal}\`?`,
  }),

  answerMissing(file: string, isConversation: boolean): Wording {
    const isControl = file.includes('.without-prompt');
    const answer = isControl ? 'the answer without the prompt' : 'the answer to this case';
    const what = file.includes('.turn-') ? 'a later answer of this conversation' : answer;
    return {
      message: `${file}, ${what}, is missing.`,
      hint: `Record ${isConversation ? 'the conversation again by hand' : `it again with \`npx --no daily-agent-catalog eval --record ${isControl ? '--without-prompt ' : ''}--model <model>\``}, or remove this entry.`,
    };
  },

  controlOfOtherModel: (model: string, other: string) => ({
    message: `The answer without the prompt is from ${model}, and the one with the prompt from ${other}.`,
    hint: 'Record both with the same model, or nobody can tell what the prompt changed.',
  }),

  inputTwice: (name: string, other: string) => ({
    message: `The case \`${name}\` has the same input as \`${other}\`.`,
    hint: 'Give it another input, of another domain or shape, or remove the case.',
  }),

  /** `failure` says why the new answer fails the check. */
  answerRegressed: (model: string, branch: string, check: string, failure: string) => ({
    message: `On ${branch}, the answer of ${model} passes the check \`${check}\`. This new answer fails it: ${failure}`,
    hint: 'Change the prompt and record the answer again. If the prompt no longer demands this, change the check.',
  }),

  /** `changed` is "prompt" or "input", whichever changed. The command records no conversations. */
  answerStale: (changed: string, model: string, caseName: string, date: string, byHand: boolean) => ({
    message: `The ${changed} changed after ${model} answered the case \`${caseName}\` on ${date}.`,
    hint: `Record the ${byHand ? 'conversation again by hand' : 'answer again with `npx --no daily-agent-catalog eval --record --stale --model <model>`'}. Until then, readers see that it is out of date.`,
  }),
} satisfies Messages;
