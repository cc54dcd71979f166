/** Opens the folded part that the address names, such as a recorded answer, which its score links to. */
export function startFolds(): void {
  const open = (hash: string) => {
    const target = document.getElementById(hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  open(location.hash);
  addEventListener('hashchange', () => open(location.hash));
  // If the address already names the part, a click on its link does not change it.
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
    if (link !== null) open(link.hash);
  });
}
