/** One environment variable that sign-ups read, as `--help` and the documentation list it. */
export interface SignupVariable {
  name: string;
  description: string;
}

/** Every environment variable that sign-ups read. */
export const signupVariables: readonly SignupVariable[] = [
  {
    name: 'CATALOG_SIGNUPS',
    description:
      'Where sign-ups are stored: file (signups.jsonl in the data folder), buttondown, resend, listmonk or webhook. Default: file.',
  },
  {
    name: 'CATALOG_SIGNUPS_URL',
    description:
      "The provider's address. listmonk: that of the installation, required. webhook: the address that gets the sign-ups, in full, required. buttondown, resend: default https://api.buttondown.com and https://api.resend.com.",
  },
  {
    name: 'CATALOG_SIGNUPS_KEY',
    description:
      'Required but for file. buttondown: the API key. resend: an API key with full access. listmonk: user:token of an API user whose role has subscribers:manage, subscribers:get_all and lists:manage_all. webhook: the secret that signs each body (header X-Catalog-Signature: sha256=<HMAC-SHA-256, hex>).',
  },
  {
    name: 'CATALOG_SIGNUPS_LIST_DAILY',
    description:
      'What the daily list is at the provider. buttondown: a tag, default daily. resend: the id of a segment, required. listmonk: the number of a list, required. file and webhook need none.',
  },
  {
    name: 'CATALOG_SIGNUPS_LIST_PRO',
    description: 'The same for the waitlist of Pro. buttondown: default pro.',
  },
  {
    name: 'CATALOG_SIGNUPS_LIST_CUSTOM',
    description: 'The same for requests of a custom agent. buttondown: default custom.',
  },
  {
    name: 'CATALOG_SIGNUPS_NOTE_PROPERTY',
    description:
      "resend: the key of the contact property (of type text, made beforehand) that takes a reader's note. Default: notes are not passed on.",
  },
];
