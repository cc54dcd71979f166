import { publication } from '../../rich-catalog.ts';
import type { Expected } from '../reader.ts';
import type { Frame, Page } from './frame.ts';
import { agents, entries } from './parts.ts';

const notFound: Expected = {
  h1: 'Not found',
  '.page-head .dateline': '404',
  '.page-head a @href': '/base/',
  ...entries('section[aria-labelledby=newest]', [agents.newer, agents.rich, agents.older]),
};

const noted = `Your address was saved. You will get each new agent by email on the day it is published. If an email about ${publication.title} arrives within minutes, press the button in it to confirm your address. Look in your spam folder too.`;

const asks = 'Press the button, and you are subscribed. Every email has a link to unsubscribe.';
const confirmed = 'Your address is confirmed. Every email has a link to unsubscribe.';
const ends = 'Press the button, and you get no more of these emails.';

/** The pages that answer a request: for an address without a page, and for a form. */
export function answerPages(page: Page): Record<string, Expected> {
  const answer = (title: string, text: string): Frame => ({
    title,
    description: text,
    path: null,
    noindex: true,
  });
  return {
    '404.html': page(answer('Not found', 'There is no page at this address.'), notFound),
    'thanks/vote.html': page(
      answer('Thank you for your vote', 'Your vote was recorded. Only the publisher reads notes.'),
      {
        h1: 'Thank you for your vote',
        '.page-head > p': ['Your vote was recorded. Only the publisher reads notes.', 'Go to the home page'],
        'main a @href': '/base/',
      },
    ),
    'thanks/sign-up.html': page(answer('Thank you for subscribing', noted), {
      h1: 'Thank you for subscribing',
      '.page-head > p': [noted, 'Go to the home page'],
      'main a @href': '/base/',
    }),
    'subscription/confirm.html': page(answer('Confirm your subscription', asks), {
      h1: 'Confirm your subscription',
      '.page-head > p': [asks, 'Go to the home page'],
      'main a @href': '/base/',
      'main form @method': 'post',
      'main form @action': '?token=',
      'main form button @type': 'submit',
      'main form button': 'Subscribe',
    }),
    'subscription/confirmed.html': page(answer('You are subscribed', confirmed), {
      h1: 'You are subscribed',
      '.page-head > p': [confirmed, 'Go to the home page'],
      'main a @href': '/base/',
      'main form': [],
    }),
    'subscription/unsubscribe.html': page(answer('Unsubscribe', ends), {
      h1: 'Unsubscribe',
      '.page-head > p': [ends, 'Go to the home page'],
      'main a @href': '/base/',
      'main form @method': 'post',
      'main form @action': '?token=',
      'main form button @type': 'submit',
      'main form button': 'Unsubscribe',
    }),
    'subscription/unsubscribed.html': page(answer('You are unsubscribed', 'You get no more of these emails.'), {
      h1: 'You are unsubscribed',
      '.page-head > p': ['You get no more of these emails.', 'Go to the home page'],
      'main a @href': '/base/',
      'main form': [],
    }),
    'subscription/failed.html': page(answer('This link did not work', 'The link in the email did not work.'), {
      h1: 'This link did not work',
      '.page-head > p': ['The link is incomplete, or it no longer works.', 'Go to the home page'],
      'main a @href': '/base/',
      'main form': [],
    }),
    'refused.html': page(answer('Not accepted', 'The form was not accepted.'), {
      h1: 'Not accepted',
      '.page-head > p': [
        'Check what you entered, and send the form again.',
        'Go back in your browser: your text is still there.',
        'Go to the home page',
      ],
    }),
  };
}
