/** Shortens a text to at most `most` code points, at the end of a word if possible. */
export function shortened(text: string, most: number): string {
  // No text has more code points than UTF-16 units.
  if (text.length <= most) return text;
  const points = [...text];
  if (points.length <= most) return text;
  const cut = points.slice(0, most - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > 0 ? cut.slice(0, space) : cut}…`;
}
