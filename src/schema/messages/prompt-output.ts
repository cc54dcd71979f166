import type { Wording } from '../diagnostics/diagnostic.ts';

/** What is wrong with the section OUTPUT of a prompt. */

export const answerNotShown: Wording = {
  message: 'OUTPUT describes the answer instead of showing it.',
  hint: 'Write the answer as a skeleton: its headings, table columns or keys, with <slots> for what changes.',
};

export const noLengthLimit: Wording = {
  message: 'OUTPUT has no length limit.',
  hint: 'Give one next to the heading, such as "OUTPUT (at most 40 lines)".',
};

export const emptyCaseNotSettled: Wording = {
  message: 'OUTPUT does not say what to answer when there is nothing to report.',
  hint: 'Add the sentence for that case, such as: If nothing changed, answer only "No breaking change found."',
};
