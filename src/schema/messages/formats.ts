import type { Messages, Wording } from '../diagnostics/diagnostic.ts';

function putInQuotes(text: string): string {
  const start = short(text);
  return `Put the whole text in quotes: ${text.includes("'") ? `"${start.replace(/["\\]/g, '\\$&')}"` : `'${start}'`}.`;
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function firstSentence(message: string): string {
  const sentence = (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

const quoteNotClosed: Wording = {
  message: 'The quote that opens here is never closed.',
  hint: 'Add the closing quote at the end of the text.',
};

/** Problems with agent.md as a whole: where its front matter starts and ends, and keys that do not fit the agent. */
export const frontMatterMessages = {
  notClosed: {
    message: 'The front matter is opened but never closed.',
    hint: 'Add a `---` line after the last key.',
  },

  closedEarly: (key: string) => ({
    message: `This line closes the front matter, but \`${key}\` and another \`---\` follow.`,
    hint: 'Remove this line, so that all keys are between two `---` lines.',
  }),

  tooLong: (length: number, most: number) => ({
    message: `The front matter has ${length} characters; at most ${most} are allowed.`,
    hint: 'Shorten it: long texts belong in the samples or the prompt.',
  }),

  notYaml: (format: string) => ({
    message: `The front matter is ${format}; it has to be YAML.`,
    hint: 'Write the keys as `key: value`, between two `---` lines.',
  }),

  spaceAfterHyphens: { message: 'A space follows the three hyphens.', hint: 'Delete it.' },

  wordAfterHyphens: (line: string) => ({
    message: `The first line is \`${line}\`; it has to be \`---\` alone.`,
    hint: 'Delete everything after the three hyphens, and write the keys as YAML.',
  }),

  inCodeBlock: {
    message: 'The front matter is in a code block.',
    hint: 'Remove the code fence: `---` has to be the first line.',
  },

  blankLineBefore: {
    message: 'There is a blank line before the front matter.',
    hint: 'Delete it: `---` has to be the first line.',
  },

  missing: {
    message: 'agent.md does not start with front matter.',
    hint: 'Start the file with a `---` line, then the keys, then another `---` line.',
  },

  wrongHyphens: (line: string) => ({
    message: `\`${line}\` does not open or close the front matter.`,
    hint: 'Write exactly three hyphens, `---`, and nothing else on the line.',
  }),

  nothingAfter: {
    message: 'agent.md has no text after its front matter.',
    hint: 'After the closing `---`, describe in Markdown how the agent works.',
  },

  filenameWithoutConfig: {
    message: '`configFilename` is given, but the agent has no config.',
    hint: 'Add the config as config.<ext>, or remove this line.',
  },

  /** `ours` is the license of all published prompts, and `allowed` are those that it is compatible with. */
  licenseRefused: (license: string, ours: string, allowed: string) => ({
    message: `The license of the imported prompt, ${license}, does not allow publication under ${ours}.`,
    hint: `Write \`draft: true\`, or ask the author to allow one of these licenses: ${allowed}.`,
  }),
} satisfies Messages;

/** Mistakes in YAML, worded for front matter. */
export const yamlMessages = {
  nestedTooDeeply: {
    message: 'The front matter is nested more than 100 levels deep here.',
    hint: 'No key of an agent needs more than two levels. If this is text, put it in quotes.',
  },

  /** `name` starts with & or *. */
  anchorOrAlias: (name: string) => ({
    message: `\`${name}\` is a YAML anchor or alias, which front matter must not have.`,
    hint: 'If it is meant as text, put the whole text in quotes; otherwise write the value out.',
  }),

  keyTwice: (name: string) => ({ message: `\`${name}\` appears twice.`, hint: 'Keep one of the two lines.' }),

  keyIndented: (name: string) => ({
    message: `\`${name}\` is indented, so it belongs to the line above.`,
    hint: 'Start the key in the first column. If the line continues a text, put that whole text in quotes.',
  }),

  noSpaceAfterColon: (key: string, value: string) => ({
    message: `There is no space after the colon.`,
    hint: `Write \`${key}: ${short(value)}\`.`,
  }),

  /** `word` is the first word of the line, and `rest` the text after it. */
  noColon: (word: string, rest: string) => ({
    message: 'This line has no colon, so it is not a key with a value.',
    hint: `Write \`${short(word)}: ${short(rest)}\`, or put the text on the line of its key.`,
  }),

  indentedWithTab: { message: 'This line is indented with a tab.', hint: 'Use spaces.' },

  noSpaceAfterHyphen: (entry: string) => ({
    message: 'There is no space after the hyphen.',
    hint: `Write \`- ${short(entry)}\`.`,
  }),

  entryWithoutHyphen: {
    message: 'This line is in a list, but it neither starts an entry nor continues one.',
    hint: 'Start an entry with a hyphen and a space. Indent the other lines of an entry like its first key.',
  },

  keyOverLines: {
    message: 'YAML takes several lines for one key here.',
    hint: 'Write each key with its colon on one line. Indent a list or a text that continues below its key.',
  },

  bracketNotOpened: (bracket: string) => ({
    message: `\`${bracket}\` closes a bracket that was never opened.`,
    hint: 'Remove it, or add the opening bracket. If this is text, put it in quotes.',
  }),

  /** `value` is the quoted text with what follows it. */
  textAfterQuote: (value: string) => ({ message: 'There is text after the closing quote.', hint: putInQuotes(value) }),

  wrongEscape: {
    message: 'In double quotes, YAML takes this backslash for the start of an escape.',
    hint: 'Put the text in single quotes instead, or write the backslash as \\\\.',
  },

  secondDocument: { message: 'This `---` starts a second document.', hint: 'Delete the line: a file has only one.' },

  quoteNotClosed,

  bracketNotClosed: (closing: string) => ({
    message: 'The bracket that opens here is never closed.',
    hint: `Add the closing \`${closing}\`. If this is text, put it in quotes.`,
  }),

  colonInText: (text: string) => ({
    message: 'This text has a colon and a space, which YAML takes for another key.',
    hint: putInQuotes(text),
  }),

  unevenIndent: {
    message: 'The indentation of this line does not match the lines around it.',
    hint: 'Start the keys of one level in the same column; start the entries of a list with two spaces, a hyphen, and a space.',
  },

  specialStart: (character: string) => ({
    message: `This text starts with \`${character}\`, which has a special meaning in YAML.`,
    hint: 'Put the whole text in quotes.',
  }),

  /** `reason` is what the parser says, or empty. */
  notWellFormed: (reason: string) => ({
    message: `The front matter is not well-formed YAML here: ${firstSentence(reason || 'it cannot be read')}.`,
    hint: 'Check the indentation and the quotes of this line and the one before it.',
  }),
} satisfies Messages;

/** Mistakes in JSON: in a config, in recording.json and in the settings. */
export const jsonMessages = {
  colonMissing: { message: 'A colon is missing after the key.', hint: 'Write only a colon between it and its value.' },

  noComments: { message: 'JSON does not allow comments.', hint: 'Remove the comment.' },

  commaAtEnd: { message: 'Nothing follows this comma.', hint: 'Remove the comma.' },

  extraComma: { message: 'There is an extra comma here.', hint: 'Remove the comma.' },

  commaMissing: { message: 'A comma is missing here.', hint: 'Add a comma.' },

  textAfterEnd: {
    message: 'There is text after the end of the JSON.',
    hint: 'Remove it, or the bracket that closes too early.',
  },

  braceMissing: { message: 'The `{` before the first key is missing.', hint: 'Add it at the start of the file.' },

  wrongBracket: (bracket: string) => ({
    message: `\`${bracket}\` does not match the bracket that it closes.`,
    hint: 'Close the brackets in the order in which they were opened.',
  }),

  wrongCharacterInText: {
    message: 'This text has a backslash or a control character that JSON does not allow.',
    hint: 'Write a backslash as \\\\, a line break as \\n, and a tab as \\t.',
  },

  quoteNotClosed,

  singleQuotes: (isKey: boolean) => ({
    message: `${isKey ? 'A key' : 'Text'} needs double quotes in JSON.`,
    hint: 'Write " instead of single quotes.',
  }),

  wrongCharacter: (character: string, isKey: boolean) => ({
    message: `\`${character}\` is not allowed here.`,
    hint: isKey ? 'Write a key in double quotes (").' : 'Write a value; text needs double quotes (").',
  }),

  /** `meant` is the value that the word means in other languages, if any, or other ways to write it. */
  wrongWord: (word: string, isKey: boolean, meant: string | undefined) => ({
    message: `\`${word}\` ${isKey ? 'is a key without quotes' : 'is not a JSON value'}.`,
    hint: meant === undefined ? 'Put it in double quotes.' : `Write ${meant}.`,
  }),

  valueMissing: {
    message: 'The file has no JSON value.',
    hint: 'Write one, such as {}.',
  },

  bracketNotClosed: (opening: string, line: number, closing: string) => ({
    message: `The \`${opening}\` on line ${line} is never closed.`,
    hint: `Add the closing \`${closing}\`.`,
  }),

  numberTooLarge: {
    message: 'This number is too large: programs round it or cannot read it.',
    hint: 'Put it in quotes.',
  },

  nestedTooDeeply: (most: number) => ({
    message: `The config is nested more than ${most} levels deep.`,
    hint: 'Reduce the nesting: not every program can read this.',
  }),
} satisfies Messages;

/** Problems of the Markdown of an agent. */
export const markdownMessages = {
  tooManyHeadings: (count: number, most: number) => ({
    message: `The Markdown has ${count} headings; at most ${most} are allowed.`,
    hint: 'Remove the headings from here on, or turn them into paragraphs.',
  }),

  nestedTooDeeply: (most: number) => ({
    message: `Lists and quotes are nested more than ${most} levels deep.`,
    hint: 'Turn the inner levels into separate lists or paragraphs.',
  }),

  tooLong: (length: number, most: number) => ({
    message: `The Markdown has ${length} characters; at most ${most} are allowed.`,
    hint: 'Shorten it: describe how the prompt works, and when not to use it.',
  }),

  image: {
    message: 'Images are not allowed: the host of an image would learn who reads the page or the feed.',
    hint: 'Describe the image, or link to a page that shows it: [the text](https://…), without the exclamation mark.',
  },

  linkTarget: {
    message: 'A link must lead to an http, https or mailto address, or to a path in this catalog. This one does not.',
    hint: 'Write the full address, without a user name, spaces or backslashes, or put the text in backticks.',
  },

  htmlWithAttributes: {
    message:
      'HTML with attributes is not allowed: pages show it as text, but other programs that render the Markdown may run it.',
    hint: 'Write it as Markdown, or put it in backticks if it is meant as text.',
  },
} satisfies Messages;
