import { copyText, offerText } from './clipboard.ts';
import { promptText } from './prompt.ts';

/**
 * Links that open the prompt in an assistant; `data-open-in` holds the id of the prompt.
 *
 * Past the assistant's `data-limit` the address of the link has no prompt: it is copied first, and that is said before
 * the assistant opens.
 */
export function startOpenIn(): void {
  for (const group of document.querySelectorAll<HTMLElement>('[data-open-in]')) {
    const id = group.dataset.openIn ?? '';
    const links = [...group.querySelectorAll('a')].map((link) => ({ link, home: link.href, name: link.textContent }));
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
      say(long.length === 0 ? '' : `Too long for a link to ${long.join(', ')}: it is copied first, for you to paste.`);
    };

    for (const { link, home, name } of links) {
      link.addEventListener('click', async (event) => {
        if (!link.hasAttribute('data-copies')) return;
        event.preventDefault();
        const text = promptText(id);
        if (await copyText(text)) {
          say(`Copied, since it is too long for a link. Paste it in ${name}.`);
          open(home, '_blank', 'noopener');
        } else {
          offerText(text, group);
          say(`Too long for a link, and the browser does not let this page copy. Copy the selected text to ${name}.`);
        }
      });
    }
    document.querySelector(`[data-fill-in="${id}"]`)?.addEventListener('input', update);
    update();
    group.hidden = false;
  }
}
