import type { Wording } from '../diagnostics/diagnostic.ts';

/** What the Markdown of an agent must not have. */

export function tooManyHeadings(count: number, most: number): Wording {
  return {
    message: `The Markdown has ${count} headings; at most ${most} are allowed.`,
    hint: 'Remove the headings from here on, or turn them into paragraphs.',
  };
}

export function nestedTooDeeply(most: number): Wording {
  return {
    message: `Lists and quotes are nested more than ${most} levels deep.`,
    hint: 'Turn the inner levels into separate lists or paragraphs.',
  };
}

export function markdownTooLong(length: number, most: number): Wording {
  return {
    message: `The Markdown has ${length} characters; at most ${most} are allowed.`,
    hint: 'Shorten it: describe how the prompt works, and when not to use it.',
  };
}

export const imageInMarkdown: Wording = {
  message: 'Images are not allowed: the host of an image would learn who reads the page or the feed.',
  hint: 'Describe the image, or link to a page that shows it: [the text](https://…), without the exclamation mark.',
};

export const linkTarget: Wording = {
  message: 'A link must lead to an http, https or mailto address, or to a path in this catalog. This one does not.',
  hint: 'Write the full address, without a user name, spaces or backslashes, or put the text in backticks.',
};

export const htmlWithAttributes: Wording = {
  message:
    'HTML with attributes is not allowed: pages show it as text, but other programs that render the Markdown may run it.',
  hint: 'Write it as Markdown, or put it in backticks if it is meant as text.',
};
