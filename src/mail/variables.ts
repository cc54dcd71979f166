/** The effects of environment variables, by their names, for `--help` and the documentation. */
type Variables = Readonly<Record<string, string>>;

/** Renders variables for `--help`, each with its description below. */
export function variablesText(group: Variables): string {
  return Object.entries(group)
    .map(([name, description]) => `  ${name}\n      ${description}`)
    .join('\n');
}

/** The environment variables of emails and subscribers. */
export const variables = {
  /** Those of announcements, besides the others. */
  announcements: {
    CATALOG_ANNOUNCE_URL:
      'webhook: the address that receives announcements, required. They are signed as subscriptions are.',
    CATALOG_MAIL_TEMPLATE:
      'listmonk: the number of a campaign template that consists of {{ template "content" . }}, required. The default template of listmonk tracks who opens an email.',
    CATALOG_MAIL_RATE: 'file: the most emails to send in a second. Default: 5.',
  },
  /** Every one of the store of subscribers. */
  subscribers: {
    CATALOG_SIGNUPS:
      'Where subscribers are stored: file (signups.jsonl in the data folder), buttondown, resend, listmonk or webhook. Default: file.',
    CATALOG_SIGNUPS_URL:
      'The address of the provider. listmonk: the address of the installation, required. webhook: the whole address that receives subscriptions, required. buttondown, resend: default https://api.buttondown.com and https://api.resend.com.',
    CATALOG_SIGNUPS_KEY:
      'Required, except for file. buttondown: the API key. resend: an API key with full access. listmonk: user:token of an API user whose role has subscribers:manage, subscribers:get_all and lists:manage_all. webhook: the secret that signs each body (header X-Catalog-Signature: sha256=<HMAC-SHA-256, hex>).',
    CATALOG_SIGNUPS_LIST_DAILY:
      'The daily list at the provider. buttondown: a tag, default daily. resend: the id of a segment, required. listmonk: the number of a list, required. file and webhook: not used.',
    CATALOG_SIGNUPS_LIST_PRO: 'The same for the Pro waitlist. buttondown: default pro.',
    CATALOG_SIGNUPS_LIST_CUSTOM: 'The same for custom-agent requests. buttondown: default custom.',
    CATALOG_SIGNUPS_NOTE_PROPERTY:
      "resend: the key of the contact property for a reader's note; it has to exist and be of type text. Default: notes are not passed on.",
  },
  /** Those of emails that the program sends itself. */
  mail: {
    CATALOG_SMTP_URL:
      'The SMTP server that sends emails to subscribers stored in the file: smtps://user:password@host, or smtp:// for STARTTLS. Subscribers then have to confirm their address. Default: no emails.',
    CATALOG_MAIL_FROM:
      'The sender of emails, such as Daily Agents <daily@example.com>. Required with CATALOG_SMTP_URL.',
    CATALOG_MAIL_KEY:
      'The secret that signs the links in emails, at least 32 characters. Default: mail.key in the data folder, created when it is first needed.',
  },
} satisfies Record<string, Variables>;
