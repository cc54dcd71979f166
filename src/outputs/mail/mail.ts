import { plural } from '../../plural.ts';
import { installTabs } from '../install/install-source.ts';
import { mailSecurityPolicy } from '../shared/content-security-policy.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { darkStyles, mailStyles } from './styles.ts';
import { digestText, issueText } from './text.ts';

/** A mail to readers: the same content as HTML and as plain text. */
export interface Mail {
  subject: string;
  /** The line that mail programs show after the subject. */
  preheader: string;
  html: string;
  text: string;
}

/** The most bytes of HTML. Gmail cuts off longer mails near 102 KB, and with them the link to unsubscribe. */
export const maxMailBytes = 90_000;

/** The values that the HTML and the text of an issue share. */
export interface IssueValues {
  agent: PublishedAgent['document'];
  date: string;
  /** The prompt, or its beginning. */
  prompt: string;
  /** Whether `prompt` is only the beginning. */
  shortened: boolean;
  /** The ways to install the agent, with links to its page. */
  ways: { name: string; address: string }[];
  /** The links that open the page with a vote selected; null without a server. */
  votes: { yes: string; no: string } | null;
}

/** What the foot of each mail shows. `unsubscribe` is null in the published copy, which has no reader. */
export interface FootValues {
  settings: Site['settings'];
  home: string;
  unsubscribe: string | null;
  /** The lines of the postal address; empty without one. */
  postalLines: readonly string[];
}

/**
 * The mail with one agent. `unsubscribe` is the address behind the link to unsubscribe, or null in a copy without one. A
 * prompt that would make the mail too long is cut at the end of a line, and the mail says so.
 */
export function issueMail(site: Site, agent: PublishedAgent, unsubscribe: string | null): Mail {
  const { document } = agent;
  const foot = footOf(site, unsubscribe);
  const subject = `${agent.title} (No. ${agent.issue})`;
  const withPrompt = (prompt: string) => {
    const values: IssueValues = {
      agent: document,
      date: longDay(site, agent.date),
      prompt: prompt.trimEnd(),
      shortened: prompt !== agent.prompt,
      ways: installTabs(site, document).map(({ name, id }) => ({ name, address: `${document.url}#${id}-way` })),
      votes:
        site.url.serverApi === null ? null : { yes: voteLink(document.url, 'yes'), no: voteLink(document.url, 'no') },
    };
    return {
      subject,
      preheader: agent.excerpt,
      html: frame(site, {
        subject,
        preheader: agent.excerpt,
        foot,
        body: ['mail-issue', { ...values, lines: values.prompt.split('\n') }],
      }),
      text: issueText(values, foot),
    };
  };
  return longest(agent.prompt, withPrompt);
}

/** The mail with several agents, newest first, without their prompts. */
export function digestMail(site: Site, agents: readonly PublishedAgent[], unsubscribe: string | null): Mail {
  const { title } = site.settings;
  const foot = footOf(site, unsubscribe);
  const entries = agents.map(({ document, date }) => ({ agent: document, date: longDay(site, date) }));
  const subject = `${title}: ${plural(agents.length, 'agent')} of the week`;
  const preheader = agents.map((agent) => agent.title).join(' · ');
  return {
    subject,
    preheader,
    html: frame(site, { subject, preheader, foot, body: ['mail-digest', { subject, entries }] }),
    text: digestText(subject, entries, foot),
  };
}

function footOf({ settings, url }: Site, unsubscribe: string | null): FootValues {
  return { settings, home: url.absolute(), unsubscribe, postalLines: settings.postalAddress?.split('\n') ?? [] };
}

function longDay({ dates }: Site, day: string): string {
  return `${dates.weekday(day)}, ${dates.longDate(day)}`;
}

/** A link that opens the form with this vote selected. It does not vote, since programs that scan mail follow links. */
function voteLink(page: string, vote: 'yes' | 'no'): string {
  return `${page}?vote=${vote}#verdict`;
}

interface Frame extends Pick<Mail, 'subject' | 'preheader'> {
  foot: FootValues;
  /** The template of the content, and its values. */
  body: [template: string, values: object];
}

/**
 * Renders the HTML of a mail. No text in it has a brace: the services that send it would replace what is in braces.
 */
function frame({ templates, preview }: Site, { subject, preheader, foot, body: [template, values] }: Frame): string {
  const body = templates.render(template, { css: mailStyles, ...values });
  const html = templates.render('mail-layout', {
    css: mailStyles,
    dark: darkStyles,
    // Only of the published copy: email programs have their own rules, and what a service adds is not in this policy.
    contentSecurityPolicy: foot.unsubscribe === null && !preview ? mailSecurityPolicy : null,
    subject,
    preheader,
    ...foot,
    body,
  });
  return html.replace(/<style>[^<]*<\/style>|[{}]/g, (found) => braces[found] ?? found);
}

const braces: Readonly<Record<string, string>> = { '{': '&#123;', '}': '&#125;' };

/** Returns the mail with as much of the prompt as fits, cut at the end of a line where possible. */
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
