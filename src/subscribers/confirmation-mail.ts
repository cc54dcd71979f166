import type { Mail } from '../mail/smtp.ts';
import type { ListName, SubscriptionRecord } from './provider.ts';

/** What a reader of each list asked for. */
const wishes: Record<ListName, (name: string) => string> = {
  daily: (name) => `to get one agent a day from ${name} by email`,
  pro: (name) => `to join the Pro waitlist of ${name}`,
  custom: (name) => `to ask ${name} for a custom agent`,
};

/** The name of the publication, and the addresses of the two pages. */
export interface ConfirmationLinks {
  name: string;
  confirm: string;
  unsubscribe: string;
}

/** The mail that asks an address to confirm its subscription. */
export function confirmationMail(
  { email, list }: Pick<SubscriptionRecord, 'email' | 'list'>,
  { name, confirm, unsubscribe }: ConfirmationLinks,
): Mail {
  const asked = `Someone entered this address ${wishes[list](name)}.`;
  const what = 'To confirm, open this page within seven days and press the button:';
  const otherwise = 'If it was not you, ignore this email: without your confirmation, you are not subscribed.';
  const html = [
    escapeHtml(asked),
    `${what}<br><a href="${escapeHtml(confirm)}">Confirm your subscription</a>`,
    otherwise,
  ].map((text) => `<p>${text}</p>`);
  return {
    to: email,
    subject: `Confirm your subscription to ${name}`,
    text: `${asked}\n\n${what}\n${confirm}\n\n${otherwise}\n`,
    html: `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(name)}</title></head>\n<body>\n${html.join('\n')}\n</body></html>\n`,
    unsubscribe,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}
