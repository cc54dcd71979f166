/** Shows texts in a status, which screen readers announce. Empty texts are left out. */
export function say(status: Element | null, ...texts: string[]): void {
  if (status !== null) status.textContent = texts.filter((text) => text !== '').join(' ');
}
