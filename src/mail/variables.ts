/** The environment variables for mails, for `--help` and the documentation. */
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
