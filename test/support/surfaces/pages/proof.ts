import { richEvals } from '../../rich-evals.ts';
import type { Expected } from '../reader.ts';

const lacks = `Failed: contains ${richEvals.check}`;
const missing = `It does not contain "${richEvals.check}".`;
const boxes = ['one--sample-answer', 'one--sample-without', 'one--hard-answer', 'two--sample-answer'];
const ids = ['proof-input-hard', ...boxes.map((name) => `proof-model-${name}`)].map((id) => `${id}-title`);

/** The section "Proof" on the page of the agent `rich`. */
export const proof: Expected = {
  'section[aria-labelledby=proof] .leaf-body > p':
    'Real answers of named models, unedited, graded by checks that anyone can run again. 0 of 3 pass every check. 1 out of date: the prompt or the input changed afterward.',
  '#proof': 'Proof',
  'section[aria-labelledby=proof] thead th': ['Model', 'sample', 'hard'],
  'section[aria-labelledby=proof] tbody th': [richEvals.model, richEvals.other],
  'section[aria-labelledby=proof] td': ['1 of 2', '0 of 1', '0 of 2, out of date', 'not recorded'],
  'section[aria-labelledby=proof] td a @href': [
    '#proof-model-one--sample',
    '#proof-model-one--hard',
    '#proof-model-two--sample',
  ],
  'section[aria-labelledby=proof] td .failed': ['1 of 2', '0 of 1', '0 of 2, out of date'],
  'section[aria-labelledby=proof] details @id': [
    'proof-model-one--sample',
    'proof-model-one--hard',
    'proof-model-two--sample',
  ],
  'section[aria-labelledby=proof] summary': [
    `The case hard: ${richEvals.about}`,
    `${richEvals.model}, sample: 1 of 2`,
    `${richEvals.model}, hard: 0 of 1`,
    `${richEvals.other}, sample: 0 of 2, out of date`,
  ],
  'section[aria-labelledby=proof] details > .quiet @textContent': [
    `Recorded through an API on February 27, 2026. ${richEvals.note} (top_p 1, 7 tokens in, 9 tokens out)`,
    'Recorded through an API on February 27, 2026.',
    'Pasted by a person on January 2, 2026.',
  ],
  'section[aria-labelledby=proof] details > .quiet time @datetime': ['2026-02-27', '2026-02-27', '2026-01-02'],
  'section[aria-labelledby=proof] details > p:not(.quiet)':
    'Out of date: the prompt changed after this answer was recorded.',
  '#proof-model-one--sample li': [
    `Passed: contains ${richEvals.check} ${richEvals.why}`,
    'Failed: is-json It is not JSON.',
  ],
  '#proof-model-one--sample .failed': 'Failed: is-json It is not JSON.',
  'section[aria-labelledby=proof] figcaption > span': [
    ...['Input of hard', 'The answer', 'Without the prompt: 0 of 2', 'The answer', 'The answer'],
  ],
  'section[aria-labelledby=proof] pre': [richEvals.input, richEvals.good, richEvals.bare, richEvals.bad, richEvals.old],
  'section[aria-labelledby=proof] li @textContent': [
    `Passed: contains ${richEvals.check} ${richEvals.why}`,
    'Failed: is-json It is not JSON.',
    `${lacks} ${missing}`,
    `${lacks} ${richEvals.why} ${missing}`,
    'Failed: is-json It is not JSON.',
  ],
  'section[aria-labelledby=proof] figcaption > span @id': ids,
  'section[aria-labelledby=proof] pre @aria-labelledby': ids,
};
