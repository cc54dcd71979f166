import { sha256Of } from '../../src/lib/files.ts';

/** The recorded answers of the agent `rich`: two to its sample, of which one is out of date, and one to a hard case. */

const hostile = `<i>&amp; "quoted" 'single' ]]> Ωμέγα Жук`;

export const richEvals = {
  check: `Check value ${hostile}`,
  why: `Why ${hostile}`,
  about: `About ${hostile}`,
  input: `Hard input ${hostile}\n`,
  model: `Model one ${hostile}`,
  other: 'Model two',
  note: `Note ${hostile}`,
  good: `Good answer ${hostile}\nCheck value ${hostile}\n`,
  bad: `Bad answer ${hostile}\n`,
  old: `Old answer ${hostile}\n`,
  bare: `Bare answer ${hostile}\n`,
  ask: `Ask ${hostile}`,
  wrong: `Wrong because ${hostile}`,
  wrongAnswer: `Wrong answer ${hostile}\n`,
  says: `Then said ${hostile}`,
  later: `Later answer ${hostile}\n`,
};

/** The files of these answers. */
export function richEvalsFiles({ prompt, sampleInput }: { prompt: string; sampleInput: string }) {
  const { check, why, about, input, model, other, note, ask, wrong, says } = richEvals;
  const recorded = { made: 'api', promptSha256: sha256Of(prompt), inputSha256: sha256Of(sampleInput) };
  const json = (cases: object) => `${JSON.stringify({ cases })}\n`;
  return {
    'evals/checks.yaml': JSON.stringify({
      sample: { checks: [{ contains: check, why, catches: { 'wrong-one': wrong } }, { 'is-json': true }] },
      hard: {
        about,
        input: 'hard.txt',
        checks: [{ contains: check }],
        turns: [{ says, checks: [{ contains: 'Later', why }] }],
      },
    }),
    'evals/hard.txt': input,
    'evals/recordings/model-one/recording.json': json({
      hard: { ...recorded, model, date: '2026-02-27', inputSha256: sha256Of(input) },
      sample: {
        ...recorded,
        model,
        note,
        date: '2026-02-27',
        settings: { top_p: 1 },
        tokens: { input: 7, output: 9 },
        withoutPrompt: { model, date: '2026-02-27', ask },
      },
    }),
    'evals/recordings/model-one/sample.txt': richEvals.good,
    'evals/recordings/model-one/sample.without-prompt.txt': richEvals.bare,
    'evals/recordings/model-one/hard.txt': richEvals.bad,
    'evals/recordings/model-one/hard.turn-2.txt': richEvals.later,
    'evals/counterexamples/wrong-one.txt': richEvals.wrongAnswer,
    'evals/recordings/model-two/recording.json': json({
      sample: { ...recorded, made: 'pasted', model: other, date: '2026-01-02', promptSha256: '0'.repeat(64) },
    }),
    'evals/recordings/model-two/sample.txt': richEvals.old,
  };
}
