import { onceForLast } from '../../lib/lazy.ts';
import { plural } from '../../lib/text.ts';
import { promptLicense } from '../../schema/documents.ts';
import { inlineText, startOf } from '../../text/markdown-text.ts';
import { newest } from '../feeds/feeds.ts';
import { mailSecurityPolicy } from '../hosting/site-rules.ts';
import { installTabs } from '../install/install-source.ts';
import { type Output, ofAgent } from '../output.ts';
import { documentOf, documentsOf } from '../shared/agent-document.ts';
import { accentColor } from '../shared/page.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { darkStyles, mailStyles } from './mail-styles.ts';

/** An email to readers: the same content as HTML and as plain text. */
export interface Mail {
  subject: string;
  /** The line that mail programs show after the subject. */
  preheader: string;
  html: string;
  text: string;
}

/** The most bytes of HTML. Gmail cuts off longer emails near 102 KB, and with them the link to unsubscribe. */
const maxMailBytes = 90_000;

/**
 * The email with one agent. `unsubscribe` is the address behind the link to unsubscribe, or null in a copy without one. A
 * prompt that would make the email too long is cut at the end of a line, and the email says so.
 */
export function issueMail(site: Site, agent: PublishedAgent, unsubscribe: string | null): Mail {
  const document = documentOf(agent);
  const foot = footOf(site, unsubscribe);
  const subject = `${agent.title} (No. ${agent.issue})`;
  const preheader = agent.excerpt;
  const start = startOf(agent.texts().sampleOutput, 14);
  const result = { text: start, html: site.markdown.forMail(start, document.url) };
  return longest(document.prompt, (prompt) => {
    const values = issueValues(site, agent, result, prompt);
    const body = { ...values, lines: values.prompt.split('\n') };
    return {
      subject,
      preheader,
      html: frame(site, { subject, preheader }, foot, ['mail-issue', body]),
      text: issueText(values, foot),
    };
  });
}

/** The values that the HTML and the text of an issue share. `result` is the start of the answer to the sample. */
function issueValues(site: Site, agent: PublishedAgent, result: { text: string; html: string }, prompt: string) {
  const document = documentOf(agent);
  const { url } = document;
  return {
    agent: document,
    date: longDay(site, agent.date),
    result,
    /** The color of the category. */
    accent: accentColor(site.settings, agent.category),
    /** The prompt, or its beginning. */
    prompt: prompt.trimEnd(),
    /** Whether `prompt` is only the beginning. */
    shortened: prompt !== document.prompt,
    /** The ways to install the agent, with links to its page. */
    ways: installTabs(site, document).map(({ name, id }) => ({ name, address: `${url}#${id}-way` })),
    /** The links that open the page with a vote selected; null without a server. */
    votes: site.url.serverApi === null ? null : { yes: voteLink(url, 'yes'), no: voteLink(url, 'no') },
  };
}

/** The email with several agents, newest first, without their prompts. */
export function digestMail(site: Site, agents: readonly PublishedAgent[], unsubscribe: string | null): Mail {
  const { title } = site.settings;
  const foot = footOf(site, unsubscribe);
  const documents = documentsOf(site, agents);
  const entries = documents.map((agent) => ({ agent, date: longDay(site, agent.date) }));
  const subject = `${title}: ${plural(agents.length, 'agent')} of the week`;
  const preheader = agents.map((agent) => agent.title).join(' · ');
  return {
    subject,
    preheader,
    html: frame(site, { subject, preheader }, foot, ['mail-digest', { subject, entries }]),
    text: digestText(subject, entries, foot),
  };
}

/** The values for the foot of each email. `unsubscribe` is null in the published copy, which has no reader. */
function footOf({ settings, url }: Site, unsubscribe: string | null) {
  return {
    settings,
    home: url.absolute(),
    unsubscribe,
    /** The lines of the postal address; empty without one. */
    postalLines: settings.postalAddress?.split('\n') ?? [],
  };
}

type Foot = ReturnType<typeof footOf>;

function longDay({ dates }: Site, day: string): string {
  return `${dates.weekday(day)}, ${dates.longDate(day)}`;
}

/** A link that opens the form with this vote selected. It does not vote, since programs that scan email follow links. */
function voteLink(page: string, vote: 'yes' | 'no'): string {
  return `${page}?vote=${vote}#verdict`;
}

/**
 * Renders the HTML of an email from the template of its content and its values. No text in it has a brace: the services
 * that send it would replace what is in braces.
 */
function frame(
  { templates, preview, direction }: Site,
  head: Pick<Mail, 'subject' | 'preheader'>,
  foot: Foot,
  [template, values]: [template: string, values: object],
): string {
  const body = templates.render(template, { css: mailStyles, ...values });
  const html = templates.render('mail-layout', {
    css: mailStyles,
    dark: `${narrowStyles}\n${darkStyles}`,
    // Only of the published copy: email programs have their own rules, and what a service adds is not in this policy.
    contentSecurityPolicy: foot.unsubscribe === null && !preview ? mailSecurityPolicy : null,
    ...head,
    ...foot,
    direction,
    body,
  });
  return html.replace(/<style>[^<]*<\/style>|[{}]/g, (match) => braces[match] ?? match);
}

/** Shows each row of a wide table as a list in windows that are narrower than the column of an email. */
const narrowStyles = `@media (max-width: 600px) {
.wide thead { display: none !important; }
.wide tr, .wide td { display: block !important; }
.wide td { border: 0 !important; padding: 0 !important; }
.wide tr { padding: 8px 0; border-bottom: 1px solid #d9d3c5; }
.wide .label { display: inline !important; }
}`;

const braces: Readonly<Record<string, string>> = { '{': '&#123;', '}': '&#125;' };

/** Returns the email with as much of the prompt as fits, cut at the end of a line where possible. */
function longest(prompt: string, withPrompt: (prompt: string) => Mail): Mail {
  const whole = withPrompt(prompt);
  if (fits(whole)) return whole;
  let [least, most] = [0, prompt.length];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    if (fits(withPrompt(cut(prompt, middle)))) least = middle;
    else most = middle;
  }
  return withPrompt(cut(prompt, least));
}

function fits({ html }: Mail): boolean {
  return Buffer.byteLength(html) <= maxMailBytes;
}

/** The start of a text of at most `length` characters, to the end of a line unless its last line is very long. */
function cut(text: string, length: number): string {
  const start = text.slice(0, length);
  const end = start.lastIndexOf('\n');
  return end > length / 2 ? start.slice(0, end + 1) : start.replace(/[\uD800-\uDBFF]$/, '');
}

/** The published copy of an email, of which the HTML and the text are two files. */
const publishedMail = onceForLast((site: Site, agent: PublishedAgent) => issueMail(site, agent, null));

/** The emails of the newest agents, as many as a feed has. */
function mails(path: 'mail/{issue}.html' | 'mail/{issue}.txt', purpose: string, part: (mail: Mail) => string): Output {
  return {
    path,
    purpose,
    *files(site) {
      for (const agent of newest(site)) {
        yield ofAgent(agent, path.replace('{issue}', String(agent.issue)), () => part(publishedMail(site, agent)));
      }
    },
  };
}

/** The plain text of the email with one agent. It says everything that the HTML says. */
function issueText(values: ReturnType<typeof issueValues>, foot: Foot): string {
  const { agent, date, result, prompt, shortened, ways, votes } = values;
  return joined([
    foot.settings.title,
    `${agent.title}\nNo. ${agent.issue}, ${date}, ${agent.categoryLabel}`,
    agent.excerpt,
    heading('What comes back'),
    result.text,
    `The whole example: ${agent.url}#sample`,
    heading('The problem'),
    inlineText(agent.problem),
    heading('The prompt'),
    prompt,
    shortened
      ? `The prompt is shortened here, since it is too long for an email. The whole prompt: ${agent.promptUrl}`
      : `The prompt as a file: ${agent.promptUrl}`,
    heading('Use it'),
    [
      `With your own input: ${agent.url}#use`,
      `Install it: ${agent.url}#install`,
      ...ways.map(({ name, address }) => `- ${name}: ${address}`),
    ].join('\n'),
    ...(votes === null ? [] : [heading('Was it useful?'), `Yes: ${votes.yes}\nNo: ${votes.no}`]),
    footText(foot),
  ]);
}

/** The plain text of the email with several agents. */
function digestText(
  subject: string,
  entries: readonly { agent: PublishedAgent['document']; date: string }[],
  foot: Foot,
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

function footText({ settings, home, unsubscribe, postalLines }: Foot): string {
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

export const mailOutputs: readonly Output[] = [
  mails('mail/{issue}.html', 'The email about one of the newest agents', (mail) => mail.html),
  mails('mail/{issue}.txt', 'The same email as plain text', (mail) => mail.text),
];
