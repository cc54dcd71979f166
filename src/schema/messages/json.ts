import type { Wording } from '../diagnostics/diagnostic.ts';

/** Mistakes in JSON: in a config, in recording.json and in the settings. */

export const colonMissing: Wording = { message: 'A colon is missing after the key.', hint: 'Add a colon.' };

export const noComments: Wording = { message: 'JSON does not allow comments.', hint: 'Remove the comment.' };

export const commaAtEnd: Wording = { message: 'Nothing follows this comma.', hint: 'Remove the comma.' };

export const extraComma: Wording = { message: 'There is an extra comma here.', hint: 'Remove the comma.' };

export const commaMissing: Wording = { message: 'A comma is missing here.', hint: 'Add a comma.' };

export const textAfterEnd: Wording = {
  message: 'There is text after the end of the JSON.',
  hint: 'Remove it, or the bracket that closes too early.',
};

export function wrongBracket(bracket: string): Wording {
  return {
    message: `\`${bracket}\` does not match the bracket that it closes.`,
    hint: 'Close the brackets in the order in which they were opened.',
  };
}

export const wrongCharacterInText: Wording = {
  message: 'This text has a backslash or a control character that JSON does not allow.',
  hint: 'Write a backslash as \\\\, a line break as \\n, and a tab as \\t.',
};

export const quoteNotClosed: Wording = {
  message: 'The quote that opens here is never closed.',
  hint: 'Add the closing quote.',
};

/** The hint for single quotes. A text has many of them, so they are reported once. */
export const doubleQuotes = 'Write " instead of single quotes.';

export function singleQuotes(isKey: boolean): Wording {
  return {
    message: `${isKey ? 'A key' : 'Text'} needs double quotes in JSON.`,
    hint: doubleQuotes,
  };
}

export function wrongCharacter(character: string, isKey: boolean): Wording {
  return {
    message: `\`${character}\` is not allowed here.`,
    hint: isKey ? 'Write a key in double quotes.' : 'Write a value; text needs double quotes.',
  };
}

/** `meant` is the value that the word means in other languages, if any. */
export function wrongWord(word: string, isKey: boolean, meant: string | undefined): Wording {
  return {
    message: `\`${word}\` ${isKey ? 'is a key without quotes' : 'is not a JSON value'}.`,
    hint: meant === undefined ? 'Put it in double quotes.' : `Write ${meant}.`,
  };
}

export const valueMissing: Wording = {
  message: 'The file has no JSON value.',
  hint: 'Write one, such as {}.',
};

export function bracketNotClosed(opening: string, line: number, closing: string): Wording {
  return {
    message: `The \`${opening}\` on line ${line} is never closed.`,
    hint: `Add the closing \`${closing}\`.`,
  };
}

export const numberTooLarge: Wording = {
  message: 'This number is too large: programs round it or cannot read it.',
  hint: 'Put it in quotes.',
};

export function nestedTooDeeply(most: number): Wording {
  return {
    message: `The config is nested more than ${most} levels deep.`,
    hint: 'Reduce the nesting: not every program can read this.',
  };
}
