/** Opens the folded part that the address names, such as a recorded answer, which its score links to. */
export function startFolds(): void {
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  open();
  addEventListener('hashchange', open);
}
