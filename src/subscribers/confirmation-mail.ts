import type { Mail } from '../mail/smtp.ts';
import type { ListName, SubscriptionRecord } from './provider.ts';

/** What a reader of each list asked for. */
const wishes: Record<ListName, (title: string) => string> = {
  daily: (title) => `to get one agent a day from ${title} by email`,
  pro: (title) => `to join the Pro waitlist of ${title}`,
  custom: (title) => `to ask ${title} for a custom agent`,
};

/** The title of the catalog, and the addresses of the two pages. */
export interface ConfirmationLinks {
  title: string;
  confirm: string;
  unsubscribe: string;
}

/** The mail that asks an address to confirm its subscription. */
export function confirmationMail(
  { email, list }: Pick<SubscriptionRecord, 'email' | 'list'>,
  { title, confirm, unsubscribe }: ConfirmationLinks,
): Mail {
  const asked = `Someone entered this address ${wishes[list](title)}.`;
  const what = 'To confirm, open this page within seven days and press the button:';
  const otherwise = 'If it was not you, ignore this email: without your confirmation, you are not subscribed.';
  const html = [
    escapeHtml(asked),
    `${what}<br><a href="${escapeHtml(confirm)}">Confirm your subscription</a>`,
    otherwise,
  ].map((text) => `<p>${text}</p>`);
  return {
    to: email,
    subject: `Confirm your subscription to ${title}`,
    text: `${asked}\n\n${what}\n${confirm}\n\n${otherwise}\n`,
    html: `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>\n<body>\n${html.join('\n')}\n</body></html>\n`,
    unsubscribe,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}
