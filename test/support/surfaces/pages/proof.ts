import { rich, typeset } from '../../rich-catalog.ts';
import { richEvals } from '../../rich-evals.ts';
import type { Expected } from '../reader.ts';

const lacks = `Failed: contains ${richEvals.check}`;
const missing = `It does not contain "${richEvals.check}".`;
const boxes = [
  'one--sample-answer',
  'one--sample-without',
  'one--hard-answer',
  'one--hard-turn-2',
  'two--sample-answer',
];
const titles = (names: readonly string[]) =>
  ['proof-wrong-wrong-one', 'proof-input-hard', ...names.map((name) => `proof-model-${name}`)].map(
    (id) => `${id}-title`,
  );

/** The section "Proof" on the page of the agent `rich`. */
export const proof: Expected = {
  'section[aria-labelledby=proof] .leaf-body > p': [
    'Each answer is from a real model, and nothing was edited. 0 of 3 answers pass every check. The API has all answers and checks, so anyone can run the checks again. The checks were tested too: they reject 1 of 1 answers that are wrong on purpose. 1 out of date: the prompt or the input changed afterward.',
  ],
  'section[aria-labelledby=proof] .leaf-body > p a @href': '/base/api/evals/rich.json',
  'section[aria-labelledby=trap] p': [
    'Read the sample input once more. What would a quick answer get wrong?',
    typeset(rich.trap),
    `Without the prompt, the answer of ${richEvals.model} fails these checks. With it, the answer passes them. Some checks ask for the form that the prompt prescribes, so a fact can be in the answer without the prompt and still fail:`,
  ],
  'section[aria-labelledby=trap] li': richEvals.why,
  'section[aria-labelledby=trap] summary': 'Show the mistake',
  '#proof': 'Proof',
  'section[aria-labelledby=proof] thead th': ['Model', 'sample', 'hard'],
  'section[aria-labelledby=proof] tbody th': [richEvals.model, richEvals.other],
  'section[aria-labelledby=proof] td': [
    '1 of 2without the prompt: 0 of 2',
    '1 of 2',
    '0 of 2, out of date',
    'not recorded',
  ],
  'section[aria-labelledby=proof] td a @href': [
    '#proof-model-one--sample',
    '#proof-model-one--hard',
    '#proof-model-two--sample',
  ],
  'section[aria-labelledby=proof] td .failed': ['1 of 2', '1 of 2', '0 of 2, out of date'],
  'section[aria-labelledby=proof] details @id': [
    'proof-model-one--sample',
    'proof-model-one--hard',
    'proof-model-two--sample',
  ],
  'section[aria-labelledby=proof] summary': [
    'The case sample',
    `Catches: ${richEvals.wrong}`,
    `The case hard: ${richEvals.about}`,
    `${richEvals.model}, sample: 1 of 2`,
    `${richEvals.model}, hard: 1 of 2`,
    `${richEvals.other}, sample: 0 of 2, out of date`,
  ],
  'section[aria-labelledby=proof] details > .quiet @textContent': [
    `Recorded through an API on February 27, 2026. ${richEvals.note} (top_p 1, 7 tokens in, 9 tokens out)`,
    `Asked without the prompt: “${richEvals.ask}”, with the same input`,
    'Recorded through an API on February 27, 2026.',
    'Pasted by a person on January 2, 2026.',
  ],
  'section[aria-labelledby=proof] details > .quiet time @datetime': ['2026-02-27', '2026-02-27', '2026-01-02'],
  'section[aria-labelledby=proof] details > p:not(.quiet)': [
    'Each answer to it has to pass these checks. The API has them in full, and the whole text of each wrong answer.',
    'Each answer to it has to pass these checks. The API has them in full, and the whole text of each wrong answer.',
    'Without the prompt, the answer of the same model fails these checks. Some checks ask for the form that the prompt prescribes, so a fact can be in the answer and still fail:',
    `Then: ${richEvals.says}`,
    'Out of date: the prompt changed after this answer was recorded.',
  ],
  '#proof-model-one--sample li': ['Failed: is-json It is not JSON.', richEvals.why],
  '#proof-model-one--sample .failed': 'Failed: is-json It is not JSON.',
  'section[aria-labelledby=proof] figcaption > span': [
    ...['How it starts', 'Input of hard', 'With the prompt: 1 of 2', 'Without the prompt: 0 of 2', 'The answer'],
    ...['Answer 2', 'The answer'],
  ],
  'section[aria-labelledby=proof] pre': [
    richEvals.wrongAnswer.trimEnd(),
    richEvals.input,
    richEvals.good,
    richEvals.old,
  ],
  'section[aria-labelledby=proof] .rendered @textContent': [
    ...[richEvals.good, richEvals.bare, richEvals.bad, richEvals.later, richEvals.old].map((text) =>
      text.replaceAll('&amp;', '&'),
    ),
  ],
  'section[aria-labelledby=proof] li @textContent': [
    `${richEvals.why}\nCatches: ${richEvals.wrong}\n\nHow it starts Copy How it starts\n\n${richEvals.wrongAnswer.trimEnd()}\n\n`,
    'is-json',
    `contains ${richEvals.check}`,
    `Turn 2: ${richEvals.why}`,
    'Failed: is-json It is not JSON.',
    richEvals.why,
    `${lacks} ${missing}`,
    `Failed: ${richEvals.why} ${missing}`,
    'Failed: is-json It is not JSON.',
  ],
  'section[aria-labelledby=proof] figcaption > span @id': titles(boxes),
  'section[aria-labelledby=proof] pre @aria-labelledby': titles(['one--sample-answer', 'two--sample-answer']),
};
