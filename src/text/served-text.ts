/** The text of a file as the site serves it: with LF line endings and no byte-order mark. */
export function servedText(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}
