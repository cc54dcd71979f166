import { type Case, type Evals, isNamed, isPassed, kindOf, type Result, roundsOf } from '../../schema/evals.ts';
import { grade } from './grade.ts';

/** Puts the checks of agents to the test: with answers that cannot be right, and with good answers that were changed. */

/**
 * Finds checks that no counterexample fails. Vacuous ones also pass the empty answer, the input itself, and `other`, an
 * answer of another agent.
 */
function unprovenChecks({ cases }: Evals, other: string) {
  return cases.flatMap((evalCase) =>
    roundsOf(evalCase).flatMap(({ checks, counterexamples }) => {
      const { name, input } = evalCase;
      const trivial = ['', input, other].map((answer) => grade(checks, answer, input));
      return checks.flatMap((check, index) => {
        if (counterexamples.some(({ results }) => results[index]?.failure !== null)) return [];
        const isVacuous = trivial.every((results) => results[index]?.failure === null);
        return { isVacuous, case: name, kind: kindOf(check), why: check.why ?? null };
      });
    }),
  );
}

/** The figures of all agents, for `--summary`. `others` are answers of other agents, in the order of the agents. */
export function summaryOf(agents: readonly { slug: string; evals: Evals }[], others: readonly string[]) {
  const cases = agents.flatMap(({ evals }) => evals.cases);
  const answers = agents.flatMap(({ evals }) => evals.answers);
  const plain = answers.flatMap(({ withoutPrompt }) => withoutPrompt ?? []);
  const unproven = agents.flatMap(({ slug, evals }, index) =>
    unprovenChecks(evals, others[index] ?? '').map((check) => ({ slug, ...check })),
  );
  const rounds = cases.flatMap(roundsOf);
  const counterexamples = rounds.flatMap((round) => round.counterexamples);
  const failed = (all: readonly { results: readonly Result[] }[]) => {
    const results = all.flatMap(({ results }) => results);
    return { checks: results.length, missed: results.filter(({ failure }) => failure !== null).length };
  };
  return {
    agents: agents.length,
    cases: cases.length,
    checks: rounds.flatMap(({ checks }) => checks).length,
    answers: answers.length,
    namedModels: new Set(answers.flatMap(({ recorded }) => (isNamed(recorded) ? [recorded.model] : []))).size,
    notStated: answers.filter(({ recorded }) => !isNamed(recorded)).length,
    withPrompt: failed(answers),
    withoutPrompt: {
      answers: plain.length,
      passed: plain.filter(({ results }) => isPassed(results)).length,
      ...failed(plain),
    },
    counterexamples: {
      all: counterexamples.length,
      failing: counterexamples.filter(({ check, results }) => results[check]?.failure !== null).length,
    },
    unproven: unproven.length,
    vacuous: unproven.flatMap(({ isVacuous, ...check }) => (isVacuous ? check : [])),
  };
}

/** A good answer that was changed into a wrong one. */
interface Mutant {
  kind: 'number' | 'line' | 'order' | 'verdict' | 'quotation' | 'section' | 'chatter';
  /** The change, in words. */
  change: string;
  text: string;
}

/** Words that reverse what an answer says. */
const opposites: readonly (readonly [string, string])[] = [
  ['yes', 'no'],
  ['true', 'false'],
  ['keep', 'remove'],
  ['keep', 'replace'],
  ['pass', 'fail'],
  ['safe', 'unsafe'],
  ['right', 'wrong'],
  ['merge', 'wait'],
  ['low', 'high'],
  ['supported', 'unsupported'],
];

/** Changes a good answer mechanically, in one way each. The changes are the same each time. */
function mutantsOf(answer: string): Mutant[] {
  const mutants: Mutant[] = [];
  const add = (kind: Mutant['kind'], change: string, text: string) => mutants.push({ kind, change, text });
  const replaced = (at: number, before: string, after: string) =>
    answer.slice(0, at) + after + answer.slice(at + before.length);
  for (const { 0: number, index } of answer.matchAll(/\d+(?:[.,]\d+)*/g)) {
    const last = Number(number.at(-1));
    const changed = `${number.slice(0, -1)}${last === 9 ? 8 : last + 1}`;
    const line = answer.slice(0, index).split('\n').length;
    add('number', `${number} became ${changed} in line ${line}`, replaced(index, number, changed));
  }
  for (const [word, opposite] of opposites.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])) {
    const match = new RegExp(`\\b${word}\\b`, 'i').exec(answer);
    if (match !== null) add('verdict', `"${match[0]}" became "${opposite}"`, replaced(match.index, match[0], opposite));
  }
  for (const { 0: all, 1: quotation = '', index } of answer.matchAll(/["“]([^"“”\n]{12,})["”]/g)) {
    const [word = ''] = [...(quotation.match(/\p{L}+/gu) ?? [])].sort((a, b) => b.length - a.length);
    add('quotation', `a word in ${all} changed`, replaced(index, all, all.replace(word, `${word}ish`)));
  }
  const lines = answer.split('\n');
  const without = (from: number, to: number) => lines.toSpliced(from, to - from).join('\n');
  const marker = (line: string) => /^\s*(?:[-*•|]|\d+[.)])/.exec(line)?.[0].replace(/\d+/, '1');
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== '') add('line', `without "${line.trim()}"`, without(index, index + 1));
    const next = lines[index + 1] ?? '';
    const isRow = marker(line) !== undefined && marker(line) === marker(next) && !/^[\s:|-]+$/.test(line + next);
    if (isRow && !/^[\s:|-]+$/.test(next))
      add('order', `"${line.trim()}" after the next line`, lines.toSpliced(index, 2, next, line).join('\n'));
  }
  const headings = lines.flatMap((line, index) =>
    /^(?:#{1,6} |\*\*)?\p{Lu}[^.!?|]{0,50}$/u.test(line.trim()) && (lines[index - 1] ?? '').trim() === ''
      ? [index]
      : [],
  );
  for (const [order, start] of headings.entries()) {
    const end = headings[order + 1] ?? lines.length;
    add('section', `without the section "${lines[start]?.trim()}"`, without(start, end));
  }
  add('chatter', 'a greeting before it', `Sure! Here is the result.\n\n${answer}`);
  add('chatter', 'an offer after it', `${answer.trimEnd()}\n\nLet me know if you need anything else!\n`);
  return mutants;
}

/** Grades mutants of a good answer: how many of each kind fail a check, and those that pass all. */
export function challenge({ checks, input }: Pick<Case, 'checks' | 'input'>, answer: string) {
  const graded = mutantsOf(answer).map((mutant) => ({
    ...mutant,
    passes: isPassed(grade(checks, mutant.text, input)),
  }));
  const kinds = [...new Set(graded.map(({ kind }) => kind))].map((kind) => {
    const own = graded.filter((mutant) => mutant.kind === kind);
    return { kind, all: own.length, failing: own.filter(({ passes }) => !passes).length };
  });
  return { kinds, passing: graded.flatMap(({ kind, change, passes }) => (passes ? [{ kind, change }] : [])) };
}
