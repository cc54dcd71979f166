import { html, type Output, single } from '../output.ts';
import { renderPage } from '../shared/page.ts';

/** Pages that the runtime answers forms with, where a browser runs no JavaScript. Nothing links to them. */

export const thanks: Output = {
  path: 'thanks/{form}.html',
  type: html,
  purpose: 'The page after a form was sent without JavaScript',
  *files(site) {
    const texts = {
      vote: { title: 'Thank you for your vote', text: 'Your vote is counted.' },
      'sign-up': {
        title: 'Thank you for signing up',
        text: 'Your address is noted. If a confirmation is needed, it is on its way to you.',
      },
    };
    for (const [form, { title, text }] of Object.entries(texts)) {
      const render = () =>
        renderPage(site, { template: 'answer', title, description: text, path: null }, { title, text, back: false });
      yield { path: `thanks/${form}.html`, render };
    }
  },
};

/** `%MESSAGE%` in it is replaced by what is wrong. */
export const refused = single(
  'refused.html',
  html,
  'The page after a form sent without JavaScript was refused',
  (site) =>
    renderPage(
      site,
      { template: 'answer', title: 'Not accepted', description: 'What was sent cannot be taken.', path: null },
      { title: 'Not accepted', text: '%MESSAGE%', back: true },
    ),
);
