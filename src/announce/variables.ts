/** The environment variables of announcements, besides those of subscriptions and of mails. */
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
