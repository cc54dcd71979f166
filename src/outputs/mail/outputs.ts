import { type Output, ofAgent } from '../output.ts';
import { issueMail, type Mail } from './mail.ts';

/** The mails of the newest agents, as many as a feed has. */
export const html = mails('mail/{issue}.html', 'The email about one of the newest agents', (mail) => mail.html);

export const text = mails('mail/{issue}.txt', 'The same email as plain text', (mail) => mail.text);

function mails(path: 'mail/{issue}.html' | 'mail/{issue}.txt', purpose: string, part: (mail: Mail) => string): Output {
  return {
    path,
    purpose,
    *files(site) {
      for (const agent of site.agents.slice(0, site.settings.feedLength)) {
        yield ofAgent(agent, path.replace('{issue}', String(agent.issue)), () => part(issueMail(site, agent, null)));
      }
    },
  };
}
