import type { Expected } from '../reader.ts';
import type { Frame, Page } from './frame.ts';
import { agents, entries } from './parts.ts';

const notFound: Expected = {
  h1: 'Not found',
  '.page-head .dateline': '404',
  '.page-head a @href': '/base/',
  'main .search @action': '/base/archive',
  ...entries('section[aria-labelledby=newest]', [agents.newer, agents.rich, agents.older]),
};

const noted = 'Your address was saved. If you need to confirm it, an email is on its way.';

/** The pages that answer a request: for an address without a page, and for a form. */
export function answerPages(page: Page): Record<string, Expected> {
  const answer = (title: string, text: string): Frame => ({
    title,
    description: text,
    path: null,
    kind: 'website',
    noindex: true,
  });
  return {
    '404.html': page({ ...answer('Not found', 'There is no page at this address.'), search: false }, notFound),
    'thanks/vote.html': page(answer('Thank you for your vote', 'Your vote was recorded.'), {
      h1: 'Thank you for your vote',
      '.page-head > p': ['Your vote was recorded.', 'Go to today’s agent'],
      'main a @href': '/base/',
    }),
    'thanks/sign-up.html': page(answer('Thank you for subscribing', noted), {
      h1: 'Thank you for subscribing',
      '.page-head > p': [noted, 'Go to today’s agent'],
      'main a @href': '/base/',
    }),
    'refused.html': page(answer('Not accepted', 'The form was not accepted.'), {
      h1: 'Not accepted',
      '.page-head > p': ['%MESSAGE%', 'Go back in your browser: your text is still there.', 'Go to today’s agent'],
    }),
  };
}
