import type { Subject } from '../../../src/mail/campaign.ts';

/** A small announcement that needs no catalog. */
export function smallSubject(): Subject {
  const mark = `https://unsubscribe.invalid/${'5'.repeat(32)}`;
  const day = '2026-11-20';
  return {
    key: `catalog:tag:press.example,2026:catalog:daily:${day}`,
    ...{ day, kind: 'issue', list: 'daily' },
    agent: { date: day, slug: 'one', title: 'The one agent', url: 'https://press.example/agents/one' },
    mail: {
      subject: 'The one agent (No. 1)',
      preheader: 'Checks things.',
      html: `<!DOCTYPE html><html lang="en"><head><title>t</title></head><body><p>Hello</p><a href="${mark}">Leave</a></body></html>`,
      text: `Hello\n\nLeave: ${mark}\n`,
      mark,
    },
  };
}
