/** The text of error pages until the server replaces it with the error, and where a host serves the files alone. */
export const generalMessages = {
  refused: 'Check what you entered, and send the form again.',
  failed: 'The link is incomplete, or it no longer works.',
};

/** The next step after a subscription. Some services ask for no confirmation. */
export function subscribedText(title: string): string {
  return `You will get each new agent by email on the day it is published. If an email about ${title} arrives within minutes, press the button in it to confirm your address. Look in your spam folder too.`;
}

/** Returns a message for the readers of a page: the names of fields are words without backticks, also at the start. */
export function readerMessage(message: string): string {
  return message.replace(/(^|\. )`\w/g, (start) => start.toUpperCase()).replaceAll('`', '');
}
