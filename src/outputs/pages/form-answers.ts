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

/** The server replaces `%MESSAGE%` with the error. */
export const refused = single(
  'refused.html',
  'The page after a form sent without JavaScript was refused',
  (site) =>
    renderPage(
      site,
      { template: 'answer', title: 'Not accepted', description: 'The form was not accepted.', path: null },
      { title: 'Not accepted', text: '%MESSAGE%', back: true },
    ),
  none,
);
