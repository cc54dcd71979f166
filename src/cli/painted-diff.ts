/** Colors the lines of a unified diff. `paint` does nothing where there are no colors. */
export function paintedDiff(diff: string, paint: (style: 'bold' | 'red', text: string) => string): string {
  const lines = diff.split('\n').map((line) => {
    if (line.startsWith('-')) return paint('red', line);
    return line.startsWith('+') ? paint('bold', line) : line;
  });
  return lines.join('\n');
}
