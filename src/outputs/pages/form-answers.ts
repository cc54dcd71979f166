import { none, type Output, single } from '../output.ts';
import { renderPage } from '../shared/page.ts';

/** Pages that the server responds to forms with if the browser runs no JavaScript. Nothing links to them. */

export const thanks: Output = {
  path: 'thanks/{form}.html',
  purpose: 'The page after a form was sent without JavaScript',
  *files(site) {
    const texts = {
      vote: { title: 'Thank you for your vote', text: 'Your vote was recorded.' },
      'sign-up': {
        title: 'Thank you for subscribing',
        text: 'Your address was saved. If you need to confirm it, an email is on its way.',
      },
    };
    for (const [form, { title, text }] of Object.entries(texts)) {
      const render = () =>
        renderPage(site, { template: 'answer', title, description: text, path: null }, { title, text, back: false });
      yield { path: `thanks/${form}.html`, inputs: none(), render };
    }
  },
};

/** What the links in mails open. The server answers with them, so that a page that only opens changes nothing. */
export const subscriptionPages: Output = {
  path: 'subscription/{page}.html',
  purpose: 'A page that a link in an email opens, or that its button leads to',
  *files(site) {
    for (const [page, { title, text, description = text, button = null }] of Object.entries(subscriptionTexts)) {
      const head = { template: 'subscription', title, description, path: null };
      yield {
        path: `subscription/${page}.html`,
        inputs: none(),
        render: () => renderPage(site, head, { title, text, button }),
      };
    }
  },
};

/** The server replaces `%MESSAGE%` with the error. */
const subscriptionTexts: Record<string, { title: string; text: string; description?: string; button?: string }> = {
  confirm: {
    title: 'Confirm your subscription',
    text: 'Press the button, and you are subscribed. Every email has a link to unsubscribe.',
    button: 'Subscribe',
  },
  confirmed: { title: 'You are subscribed', text: 'Your address is confirmed. Every email has a link to unsubscribe.' },
  unsubscribe: {
    title: 'Unsubscribe',
    text: 'Press the button, and you get no more of these emails.',
    button: 'Unsubscribe',
  },
  unsubscribed: { title: 'You are unsubscribed', text: 'You get no more of these emails.' },
  failed: { title: 'This link does not work', text: '%MESSAGE%', description: 'The link in the email does not work.' },
};

/** The server replaces `%MESSAGE%` with the error. */
export const refused = single(
  'refused.html',
  'The page when a form sent without JavaScript is refused',
  (site) =>
    renderPage(
      site,
      { template: 'answer', title: 'Not accepted', description: 'The form was not accepted.', path: null },
      { title: 'Not accepted', text: '%MESSAGE%', back: true },
    ),
  none,
);
