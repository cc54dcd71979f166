import { copyText, offerText } from './clipboard.ts';
import { showMissing } from './fill-in.ts';
import { promptText, watchFields } from './prompt.ts';

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
    const say = (text: string) => {
      if (status !== null) status.textContent = text;
    };

    const update = () => {
      const text = encodeURIComponent(promptText(id));
      for (const { link, home } of links) {
        const address = (link.dataset.prefill ?? '') + text;
        const fits = address.length <= Number(link.dataset.limit);
        link.href = fits ? address : home;
        link.toggleAttribute('data-copies', !fits);
      }
      const long = links.filter(({ link }) => link.hasAttribute('data-copies')).map(({ name }) => name);
      say(
        long.length === 0
          ? ''
          : `The prompt is too long for a link to ${long.join(', ')}. It will be copied for you to paste.`,
      );
    };

    for (const { link, home, name } of links) {
      link.addEventListener('click', async (event) => {
        if (form !== null) showMissing(form);
        if (!link.hasAttribute('data-copies')) return;
        event.preventDefault();
        const text = promptText(id);
        if (await copyText(text)) {
          say(`The prompt is too long for a link, so it was copied. Paste it into ${name}.`);
          open(home, '_blank', 'noopener');
        } else {
          offerText(text, group);
          say(
            `The prompt is too long for a link, and the browser does not allow this page to copy. Copy the selected text into ${name}.`,
          );
        }
      });
    }
    if (form !== null) watchFields(form, update);
    update();
    group.hidden = false;
  }
}
