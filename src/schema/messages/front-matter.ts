import type { Wording } from '../diagnostics/diagnostic.ts';

/** Problems with agent.md as a whole: where its front matter starts and ends, and keys that do not fit the agent. */

export const frontMatterNotClosed: Wording = {
  message: 'The front matter is opened but never closed.',
  hint: 'Add a `---` line after the last key.',
};

export function frontMatterTooLong(length: number, most: number): Wording {
  return {
    message: `The front matter has ${length} characters; at most ${most} are allowed.`,
    hint: 'Shorten it: long texts belong in the samples or the prompt.',
  };
}

export function notYaml(format: string): Wording {
  return {
    message: `The front matter is ${format}; it has to be YAML.`,
    hint: 'Write the keys as `key: value`, between two `---` lines.',
  };
}

export const spaceAfterHyphens: Wording = { message: 'A space follows the three hyphens.', hint: 'Delete it.' };

export function wordAfterHyphens(line: string): Wording {
  return {
    message: `The first line is \`${line}\`; it has to be \`---\` alone.`,
    hint: 'Delete everything after the three hyphens, and write the keys as YAML.',
  };
}

export const inCodeBlock: Wording = {
  message: 'The front matter is in a code block.',
  hint: 'Remove the code fence: `---` has to be the first line.',
};

export const blankLineBefore: Wording = {
  message: 'There is a blank line before the front matter.',
  hint: 'Delete it: `---` has to be the first line.',
};

export const noFrontMatter: Wording = {
  message: 'agent.md does not start with front matter.',
  hint: 'Start the file with a `---` line, then the keys, then another `---` line.',
};

export function wrongHyphens(line: string): Wording {
  return {
    message: `\`${line}\` does not open or close the front matter.`,
    hint: 'Write exactly three hyphens, `---`, and nothing else on the line.',
  };
}

export const nothingAfterFrontMatter: Wording = {
  message: 'agent.md has no text after its front matter.',
  hint: 'After the closing `---`, describe in Markdown how the agent works.',
};

export const filenameWithoutConfig: Wording = {
  message: '`configFilename` is given, but the agent has no config.',
  hint: 'Add the config as config.<ext>, or remove this line.',
};

/** `ours` is the license of all published prompts, and `allowed` are those that it is compatible with. */
export function licenseRefused(license: string, ours: string, allowed: string): Wording {
  return {
    message: `The license of the imported prompt, ${license}, does not allow publication under ${ours}.`,
    hint: `Write \`draft: true\`, or ask the author to allow one of these licenses: ${allowed}.`,
  };
}
