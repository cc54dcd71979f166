/** The environment variables of announcements, besides those of subscriptions and of emails. */
export const announceVariables: readonly { name: string; description: string }[] = [
  {
    name: 'CATALOG_ANNOUNCE_URL',
    description: 'webhook: the address that receives announcements, required. They are signed as subscriptions are.',
  },
  {
    name: 'CATALOG_MAIL_TEMPLATE',
    description:
      'listmonk: the number of a campaign template that consists of {{ template "content" . }}, required. The default template of listmonk tracks who opens an email.',
  },
  {
    name: 'CATALOG_MAIL_RATE',
    description: 'file: the most emails to send in a second. Default: 5.',
  },
];

/** One environment variable of the store of subscribers, for `--help` and the documentation. */
interface SubscriberVariable {
  name: string;
  description: string;
}

/** Every environment variable of the store of subscribers. */
export const subscriberVariables: readonly SubscriberVariable[] = [
  {
    name: 'CATALOG_SIGNUPS',
    description:
      'Where subscribers are stored: file (signups.jsonl in the data folder), buttondown, resend, listmonk or webhook. Default: file.',
  },
  {
    name: 'CATALOG_SIGNUPS_URL',
    description:
      'The address of the provider. listmonk: the address of the installation, required. webhook: the whole address that receives subscriptions, required. buttondown, resend: default https://api.buttondown.com and https://api.resend.com.',
  },
  {
    name: 'CATALOG_SIGNUPS_KEY',
    description:
      'Required, except for file. buttondown: the API key. resend: an API key with full access. listmonk: user:token of an API user whose role has subscribers:manage, subscribers:get_all and lists:manage_all. webhook: the secret that signs each body (header X-Catalog-Signature: sha256=<HMAC-SHA-256, hex>).',
  },
  {
    name: 'CATALOG_SIGNUPS_LIST_DAILY',
    description:
      'The daily list at the provider. buttondown: a tag, default daily. resend: the id of a segment, required. listmonk: the number of a list, required. file and webhook: not used.',
  },
  {
    name: 'CATALOG_SIGNUPS_LIST_PRO',
    description: 'The same for the Pro waitlist. buttondown: default pro.',
  },
  {
    name: 'CATALOG_SIGNUPS_LIST_CUSTOM',
    description: 'The same for custom-agent requests. buttondown: default custom.',
  },
  {
    name: 'CATALOG_SIGNUPS_NOTE_PROPERTY',
    description:
      "resend: the key of the contact property for a reader's note; it has to exist and be of type text. Default: notes are not passed on.",
  },
];

/** The environment variables for emails, for `--help` and the documentation. */
export const mailVariables: readonly { name: string; description: string }[] = [
  {
    name: 'CATALOG_SMTP_URL',
    description:
      'The SMTP server that sends emails to subscribers stored in the file: smtps://user:password@host, or smtp:// for STARTTLS. Subscribers then have to confirm their address. Default: no emails.',
  },
  {
    name: 'CATALOG_MAIL_FROM',
    description: 'The sender of emails, such as Daily Agents <daily@example.com>. Required with CATALOG_SMTP_URL.',
  },
  {
    name: 'CATALOG_MAIL_KEY',
    description:
      'The secret that signs the links in emails, at least 32 characters. Default: mail.key in the data folder, created when it is first needed.',
  },
];
