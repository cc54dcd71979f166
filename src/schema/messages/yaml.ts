import type { Wording } from '../diagnostics/diagnostic.ts';

/** Mistakes in YAML: in front matter and, with inFile, in evals/checks.yaml. */

/** Words a mistake in the YAML of a whole file. */
export function inFile({ message, hint }: Wording): Wording {
  return { message: message.replace(/front matter/i, 'file'), hint };
}

export const nestedTooDeeply: Wording = {
  message: 'The front matter is nested more than 100 levels deep here.',
  hint: 'No key of an agent needs more than two levels. If this is text, put it in quotes.',
};

/** `name` starts with & or *. */
export function anchorOrAlias(name: string): Wording {
  return {
    message: `\`${name}\` is a YAML anchor or alias, which front matter must not have.`,
    hint: 'If it is meant as text, put the whole text in quotes; otherwise write the value out.',
  };
}

export function keyTwice(name: string): Wording {
  return { message: `\`${name}\` appears twice.`, hint: 'Keep one of the two lines.' };
}

export function keyIndented(name: string): Wording {
  return {
    message: `\`${name}\` is indented, so it belongs to the line above.`,
    hint: 'Start the key in the first column. If the line continues a text, put that whole text in quotes.',
  };
}

export function noSpaceAfterColon(key: string, value: string): Wording {
  return { message: `There is no space after the colon.`, hint: `Write \`${key}: ${short(value)}\`.` };
}

/** `word` is the first word of the line, and `rest` the text after it. */
export function noColon(word: string, rest: string): Wording {
  return {
    message: 'This line has no colon, so it is not a key with a value.',
    hint: `Write \`${short(word)}: ${short(rest)}\`, or put the text on the line of its key.`,
  };
}

export const indentedWithTab: Wording = { message: 'This line is indented with a tab.', hint: 'Use spaces.' };

export function noSpaceAfterHyphen(entry: string): Wording {
  return { message: 'There is no space after the hyphen.', hint: `Write \`- ${short(entry)}\`.` };
}

export const entryWithoutHyphen: Wording = {
  message: 'This line is in a list, but it neither starts an entry nor continues one.',
  hint: 'Start an entry with a hyphen and a space. Indent the other lines of an entry like its first key.',
};

export const keyOverLines: Wording = {
  message: 'YAML takes several lines for one key here.',
  hint: 'Write each key with its colon on one line. Indent a list or a text that continues below its key.',
};

export function bracketNotOpened(bracket: string): Wording {
  return {
    message: `\`${bracket}\` closes a bracket that was never opened.`,
    hint: 'Remove it, or add the opening bracket. If this is text, put it in quotes.',
  };
}

/** `value` is the quoted text with what follows it, and `quote` the mark to put around both. */
export function textAfterQuote(value: string, quote: string): Wording {
  return { message: 'There is text after the closing quote.', hint: putInQuotes(value, quote) };
}

export const quoteNotClosed: Wording = {
  message: 'The quote that opens here is never closed.',
  hint: 'Add the closing quote at the end of the text.',
};

export function bracketNotClosed(closing: string): Wording {
  return {
    message: 'The bracket that opens here is never closed.',
    hint: `Add the closing \`${closing}\`. If this is text, put it in quotes.`,
  };
}

/** `quote` is the mark to put around the text. */
export function colonInText(text: string, quote: string): Wording {
  return {
    message: 'This text has a colon and a space, which YAML takes for another key.',
    hint: putInQuotes(text, quote),
  };
}

export const unevenIndent: Wording = {
  message: 'The indentation of this line does not match the lines around it.',
  hint: 'Start the keys of one level in the same column; start the entries of a list with two spaces, a hyphen, and a space.',
};

export function specialStart(character: string): Wording {
  return {
    message: `This text starts with \`${character}\`, which has a special meaning in YAML.`,
    hint: 'Put the whole text in quotes.',
  };
}

/** `reason` is what the parser says. */
export function notWellFormed(reason: string): Wording {
  return {
    message: `The front matter is not well-formed YAML here: ${firstSentence(reason)}.`,
    hint: 'Check the indentation and the quotes of this line and the one before it.',
  };
}

/** The reason if the parser gives none. */
export const unknownReason = 'it cannot be read';

function putInQuotes(text: string, quote: string): string {
  return `Put the whole text in quotes: ${quote}${short(text)}${quote}.`;
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function firstSentence(message: string): string {
  const sentence = (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}
