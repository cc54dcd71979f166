import { copyText, offerText, withdrawText } from './clipboard.ts';
import { showMissing } from './fill-in.ts';
import { promptText, watchFields } from './prompt.ts';
import { say } from './status.ts';

/**
 * Starts the links that open the prompt in an assistant. `data-open-in` is the id of the prompt.
 *
 * If the address would be longer than the assistant's `data-limit`, it has no prompt. The prompt is then copied before
 * the assistant opens, and the page says so.
 */
export function startOpenIn(): void {
  for (const group of document.querySelectorAll<HTMLElement>('[data-open-in]')) {
    const id = group.dataset.openIn ?? '';
    const links = [...group.querySelectorAll('a')].map((link) => ({ link, home: link.href, name: link.textContent }));
    const form = document.querySelector(`[data-fill-in="${id}"]`);
    const status = group.querySelector('[role="status"]');
    /** Which links have no prompt. */
    let notice = '';

    const update = () => {
      withdrawText(group);
      const text = encodeURIComponent(promptText(id));
      for (const { link, home } of links) {
        const address = (link.dataset.prefill ?? '') + text;
        const fits = address.length <= Number(link.dataset.limit);
        link.href = fits ? address : home;
        link.toggleAttribute('data-copies', !fits);
      }
      const long = links.filter(({ link }) => link.hasAttribute('data-copies')).map(({ name }) => name);
      notice =
        long.length === 0
          ? ''
          : `The prompt is too long for a link to ${long.join(', ')}. It will be copied for you to paste.`;
      say(status, notice);
    };

    for (const { link, home, name } of links) {
      link.addEventListener('click', async (event) => {
        const missing = form === null ? '' : showMissing(form);
        if (!link.hasAttribute('data-copies')) return say(status, notice, missing);
        event.preventDefault();
        const text = promptText(id);
        if (await copyText(text)) {
          say(status, `The prompt is too long for a link, so it was copied. Paste it into ${name}.`, missing);
          open(home, '_blank', 'noopener');
        } else {
          withdrawText(group);
          say(
            status,
            `The prompt is too long for a link, and the browser does not allow this page to copy. Copy the selected text into ${name}.`,
            missing,
          );
          offerText(text, group, () => say(status, notice));
        }
      });
    }
    if (form !== null) watchFields(form, update);
    update();
    group.hidden = false;
  }
}
