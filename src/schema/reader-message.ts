/** What the pages for errors say until the server replaces it with the error, and where a host serves the files alone. */
export const generalMessages = {
  refused: 'Check what you entered, and send the form again.',
  failed: 'The link is incomplete, or it no longer works.',
};

/** Returns a message for the readers of a page: without the backticks around the names of fields. */
export function readerMessage(message: string): string {
  return message.replaceAll('`', '');
}
