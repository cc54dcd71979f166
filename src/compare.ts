/** Orders texts by their UTF-16 units, alike on every machine and in every locale. For use with sort. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
