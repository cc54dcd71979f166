/** Returns a message for the readers of a page: without the backticks around the names of fields. */
export function readerMessage(message: string): string {
  return message.replaceAll('`', '');
}
