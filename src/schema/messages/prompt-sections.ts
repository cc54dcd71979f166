import type { Wording } from '../diagnostics/diagnostic.ts';

/** Problems with the sections INPUT, RULES and OUTPUT of a prompt as a whole. */

export function sectionTwice(name: string): Wording {
  return {
    message: `The prompt has the section ${name} twice.`,
    hint: 'Make it one section: remove this heading, or start the line with another word.',
  };
}

export function sectionMisplaced(name: string): Wording {
  return {
    message: `The section ${name} is in the wrong order.`,
    hint: 'Order the sections INPUT, RULES, OUTPUT.',
  };
}

export function notAHeading(line: string, name: string): Wording {
  return {
    message: `\`${line}\` is not a section heading.`,
    hint: `Start the line with ${name} in capitals, such as \`${name}\` or \`## ${name}\`.`,
  };
}

/** `names` are the sections in the code fence. */
export function fenceNotClosed(names: readonly string[]): Wording {
  return {
    message: `This code fence is never closed, so everything after it counts as code, including ${names.join(' and ')}.`,
    hint: 'Close it with the same marks on a line of their own.',
  };
}

export function sectionsMissing(names: readonly string[]): Wording {
  return {
    message: `The prompt has no section ${names.join(' and no section ')}.`,
    hint: `Start a line with ${names.join(', and one with ')}; the order is INPUT, RULES, OUTPUT. Lines in code fences do not count.`,
  };
}

export function sectionEmpty(name: keyof typeof contents): Wording {
  return { message: `The section ${name} is empty.`, hint: `Below it, write ${contents[name]}.` };
}

const contents = {
  INPUT: 'the inputs that the reader has to paste, one per line',
  RULES: 'the rules that the assistant must follow, one numbered rule per line',
  OUTPUT: 'the answer as it should look, with its headings, columns or keys',
};
