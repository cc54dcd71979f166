import type { Wording } from '../diagnostics/diagnostic.ts';

/** What is wrong with the section RULES of a prompt, and with its demands on the assistant. */

export function numberOfRules(count: number, fewest: number, most: number): Wording {
  return {
    message: `RULES has ${count === 1 ? '1 rule' : `${count} rules`}; it should have ${fewest} to ${most}.`,
    hint:
      count < fewest
        ? 'Add a rule for each thing that a careful colleague would check.'
        : 'Merge or remove some: models forget rules if there are many.',
  };
}

export const ruleOfSeveralLines: Wording = {
  message: 'This rule spans several lines.',
  hint: 'Write each rule on one line, and split a long rule into two.',
};

export const ruleDescribes: Wording = {
  message: 'This rule describes the assistant instead of telling it what to do.',
  hint: 'Start with a verb, such as "List" or "Quote".',
};

export const ruleOnlyForbids: Wording = {
  message: 'This rule only forbids something.',
  hint: 'Say what to do instead, or give the reason.',
};

export function fewRulesCheckable(count: number, checkable: number): Wording {
  return {
    message: `Of the ${count} rules, ${checkable === 0 ? 'none' : checkable} can be checked; at least three should be.`,
    hint: 'Give them a number, a limit or a yes-or-no test, such as "at most 7 bullets" or "cite line numbers".',
  };
}

export function emptyPraise(words: string): Wording {
  return {
    message: `"${words}" can't be checked.`,
    hint: 'Say how to check it: with a number, a limit or a required part.',
  };
}

export const unknownFactsNotSettled: Wording = {
  message: 'No rule says what to write when INPUT does not contain a fact.',
  hint: 'Add one, such as: Take every fact from INPUT; write "unknown" where it is silent, and never guess.',
};

export const actsWithoutAsking: Wording = {
  message: 'This rule makes the assistant act, but the prompt does not tell it to ask first.',
  hint: 'Tell it to show what it would do and wait for a yes, or to write only a draft.',
};

/** `topic` is the word that shows the matter. */
export function nobodyDecides(topic: string): Wording {
  return {
    message: `The agent deals with a sensitive matter ("${topic}"), but its prompt does not say that a person decides.`,
    hint: 'Add a rule that names who decides, such as a lawyer, a physician or a tax adviser.',
  };
}
