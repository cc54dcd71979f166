import { promptLicense } from '../../schema/license.ts';
import type { PublishedAgent } from '../site.ts';
import type { FootValues, IssueValues } from './mail.ts';

/** The plain text of the mail with one agent. It says everything that the HTML says. */
export function issueText(values: IssueValues, foot: FootValues): string {
  const { agent, date, prompt, shortened, ways, votes } = values;
  return joined([
    foot.settings.title,
    `${agent.title}\nNo. ${agent.issue}, ${date}, ${agent.categoryLabel}`,
    agent.excerpt,
    heading('The problem'),
    agent.problem,
    heading('The prompt'),
    prompt,
    shortened
      ? `The prompt is shortened here, since it is too long for an email. The whole prompt: ${agent.promptUrl}`
      : `The prompt as a file: ${agent.promptUrl}`,
    heading('Use it'),
    [
      `How it works, with a sample: ${agent.url}#sample`,
      `Install it: ${agent.url}#install`,
      ...ways.map(({ name, address }) => `- ${name}: ${address}`),
    ].join('\n'),
    ...(votes === null ? [] : [heading('Was it useful?'), `Yes: ${votes.yes}\nNo: ${votes.no}`]),
    footText(foot),
  ]);
}

/** The plain text of the mail with several agents. */
export function digestText(
  subject: string,
  entries: readonly { agent: PublishedAgent['document']; date: string }[],
  foot: FootValues,
): string {
  return joined([
    subject,
    ...entries.map(({ agent, date }) =>
      [heading(agent.title), `No. ${agent.issue}, ${date}, ${agent.categoryLabel}`, agent.excerpt, agent.url].join(
        '\n',
      ),
    ),
    footText(foot),
  ]);
}

function footText({ settings, home, unsubscribe, postalLines }: FootValues): string {
  return [
    // Mail programs recognize a signature by this line, with the space at its end.
    '-- ',
    `You get this email because you subscribed to ${settings.title}: ${home}`,
    unsubscribe === null ? 'The email ends with a link to unsubscribe.' : `Unsubscribe: ${unsubscribe}`,
    ...[settings.publisher.name, ...postalLines],
    `License of the prompts: ${promptLicense.name}`,
  ].join('\n');
}

function heading(text: string): string {
  return `${text}\n${'-'.repeat(Math.min(text.length, 60))}`;
}

function joined(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
