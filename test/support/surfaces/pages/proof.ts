import { rich, typeset } from '../../rich-catalog.ts';
import { richEvals } from '../../rich-evals.ts';
import type { Expected } from '../reader.ts';

const lacks = `Failed: contains ${richEvals.check}`;
const missing = `It does not contain "${richEvals.check}".`;
const boxes = [
  ...['model-one--sample-answer', 'model-one--sample-without', 'model-two--sample-answer', 'wrong-wrong-one'],
  ...['model-one--hard-answer', 'model-one--hard-turn-2', 'input-hard'],
];
const titles = (names: readonly string[]) => names.map((name) => `proof-${name}-title`);

/** The section "Proof" on the page of the agent `rich`. */
export const proof: Expected = {
  'section[aria-labelledby=proof] .leaf-body > p': [
    '0 of 3 recorded answers pass every check. They are unedited answers of AI models. A program checks what they say, and whether they have the form that the prompt prescribes. 1 out of date: the prompt or the input changed afterward.',
    `${richEvals.other}: not recorded`,
    'Wrong answers were written to test the checks, which catch 1 of 1. The API has all answers and checks, so anyone can run the checks again.',
  ],
  'section[aria-labelledby=proof] .leaf-body > p a @href': '/base/api/evals/rich.json',
  'section[aria-labelledby=trap] p': [
    'Read the sample input once more. What would a quick answer get wrong?',
    typeset(rich.trap),
    `Of the checks that ${richEvals.model} passes with the prompt, it fails 1 without it, for example:`,
    `Compare the answers of ${richEvals.model} with and without the prompt`,
  ],
  'section[aria-labelledby=trap] li': richEvals.why,
  'section[aria-labelledby=trap] details a @href': '#proof-model-one--sample',
  'section[aria-labelledby=trap] summary': 'Show the mistake',
  '#proof': 'Proof',
  'section[aria-labelledby=proof] .leaf-body > h3': ['The sample input', `Another input: ${richEvals.about}`],
  'section[aria-labelledby=proof] summary .failed': ['1 of 2 checks', '0 of 2 checks', '1 of 2 checks'],
  'section[aria-labelledby=proof] details @id': [
    'proof-model-one--sample',
    'proof-model-two--sample',
    'proof-model-one--hard',
  ],
  'section[aria-labelledby=proof] summary': [
    `${richEvals.model} passes 1 of 2 checks (without the prompt, it passes 0)`,
    `${richEvals.other} passes 0 of 2 checks, out of date`,
    'The 2 checks',
    `Catches: ${richEvals.wrong}`,
    `${richEvals.model} passes 1 of 2 checks`,
    'The input and the 2 checks',
  ],
  'section[aria-labelledby=proof] details > .quiet @textContent': [
    `Recorded through an API on February 27, 2026. ${richEvals.note} (top_p 1, 7 tokens in, 9 tokens out)`,
    'Pasted by a person on January 2, 2026.',
    'Recorded through an API on February 27, 2026.',
  ],
  'section[aria-labelledby=proof] details > .quiet time @datetime': ['2026-02-27', '2026-01-02', '2026-02-27'],
  'section[aria-labelledby=proof] details > p:not(.quiet)': [
    `Without the prompt, the model was given the same input and asked: “${richEvals.ask}”`,
    'Only the answer with the prompt passes these checks. Some ask for the form that the prompt prescribes, so a fact can be in the other answer and still fail:',
    'Out of date: the prompt changed after this answer was recorded.',
    'What the answer has to get right:',
    `Then: ${richEvals.says}`,
    'What the answer has to get right:',
  ],
  '#proof-model-one--sample li': ['Failed: is-json It is not JSON.', richEvals.why],
  '#proof-model-one--sample .failed': ['1 of 2 checks', 'Failed: is-json It is not JSON.'],
  'section[aria-labelledby=proof] figcaption > span': [
    ...['With the prompt', 'Without the prompt', 'The answer', 'How it starts', 'The answer', 'Answer 2', 'The input'],
  ],
  'section[aria-labelledby=proof] pre': [
    richEvals.good,
    richEvals.old,
    richEvals.wrongAnswer.trimEnd(),
    richEvals.input,
  ],
  'section[aria-labelledby=proof] .rendered @textContent': [
    ...[richEvals.good, richEvals.bare, richEvals.old, richEvals.bad, richEvals.later].map((text) =>
      text.replaceAll('&amp;', '&'),
    ),
  ],
  'section[aria-labelledby=proof] li @textContent': [
    'Failed: is-json It is not JSON.',
    richEvals.why,
    `Failed: ${richEvals.why} ${missing}`,
    'Failed: is-json It is not JSON.',
    `${richEvals.why}\nCatches: ${richEvals.wrong}\n\nHow it starts Copy How it starts\n\n${richEvals.wrongAnswer.trimEnd()}\n\n`,
    'is-json',
    `${lacks} ${missing}`,
    `contains ${richEvals.check}`,
    `Turn 2: ${richEvals.why}`,
  ],
  'section[aria-labelledby=proof] figcaption > span @id': titles(boxes),
  'section[aria-labelledby=proof] pre @aria-labelledby': titles([
    ...['model-one--sample-answer', 'model-two--sample-answer', 'wrong-wrong-one', 'input-hard'],
  ]),
};
