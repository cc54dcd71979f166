import * as z from 'zod';
import { OperationError } from '../../errors.ts';
import type { ButtondownSettings } from '../../subscribers/buttondown.ts';
import type { ListName } from '../../subscribers/provider.ts';
import type { Campaign, CampaignService } from '../campaign.ts';
import { type CallService, pagesOf, parsed, type ServiceTools, serviceCalls } from '../service-calls.ts';
import { type OutgoingMail, withUnsubscribe } from './sender.ts';

const name = 'buttondown';

const tags = z.object({ results: z.array(z.object({ id: z.string(), name: z.string() })), next: z.string().nullish() });
const email = z.object({
  id: z.string(),
  // It is printed if it is not known.
  status: z.string().max(40),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  filters: z.object({ filters: z.array(z.object({ field: z.string(), value: z.unknown() })) }).nullish(),
});
const emails = z.object({ results: z.array(email), next: z.string().nullish() });

/** What the states of an email mean. Any other needs a person. */
const sent = ['scheduled', 'about_to_send', 'in_flight', 'throttled', 'sent', 'resending'];

/**
 * Sends with Buttondown to the subscribers with the tag of a list (docs.buttondown.com/api-emails-create). Its emails are
 * templates, in which braces are replaced, and it has no place for plain text.
 */
export function buttondown(
  { url, key, lists }: ButtondownSettings,
  list: ListName,
  tools: ServiceTools,
): CampaignService {
  const headers = { authorization: `Token ${key}`, 'x-api-version': '2026-04-01' };
  const call = serviceCalls(name, key, headers, tools);
  const emailAt = (id: string) => `${url}/v1/emails/${encodeURIComponent(id)}`;

  /** The id of the tag. A filter by a name, or none, would send the mail to everyone. */
  async function tagId(): Promise<string> {
    for await (const { results } of pagesOf(call, `${url}/v1/tags`, tags)) {
      const tag = results.find((each) => each.name === lists[list]);
      if (tag !== undefined) return tag.id;
    }
    throw new OperationError(`Buttondown has no tag ${JSON.stringify(lists[list])}, so nothing was sent.`);
  }

  return {
    name: 'Buttondown',
    audience: async () => `subscribers with the tag ${JSON.stringify(lists[list])} (${await tagId()})`,
    async find(wanted, day) {
      const found: Campaign[] = [];
      // Some days earlier, since its clock and time zone are not ours.
      const start = new Date(Date.parse(`${day}T00:00:00Z`) - 7 * 86_400_000).toISOString().slice(0, 10);
      for await (const { results } of pagesOf(
        call,
        `${url}/v1/emails?source=api&creation_date__start=${start}`,
        emails,
      )) {
        found.push(...results.filter(({ metadata }) => metadata?.catalog_key === wanted).map(campaignOf));
      }
      return found;
    },
    create: async (wanted, mail) => createDraft(call, `${url}/v1/emails`, wanted, mail, await tagId()),
    async read(id) {
      const found = parsed(name, email, await call({ step: 'read', method: 'GET', url: emailAt(id) }));
      const [filter, ...more] = found.filters?.filters ?? [];
      if (filter?.field !== 'subscriber.tags' || filter.value !== (await tagId()) || more.length > 0) {
        throw new OperationError(
          `The email ${id} at Buttondown has different filters than the list, so it was not sent.`,
        );
      }
      return campaignOf(found);
    },
    send: async (id) => void (await call({ step: 'publish', method: 'POST', url: `${emailAt(id)}/publish`, body: {} })),
    async test(wanted, mail, address) {
      const id = await createDraft(call, `${url}/v1/emails`, `${wanted}:test`, mail, await tagId());
      const body = { recipients: [address] };
      await call({ step: 'test', method: 'POST', url: `${emailAt(id)}/send-draft`, body });
      return `Buttondown sends a preview to ${address}. It has no header List-Unsubscribe. Its draft ${id} stays there.`;
    },
  };
}

function campaignOf({ id, status }: z.infer<typeof email>): Campaign {
  return { id, state: sent.includes(status) ? 'sent' : status };
}

async function createDraft(
  call: CallService,
  url: string,
  key: string,
  mail: OutgoingMail,
  tag: string,
): Promise<string> {
  const { html, subject } = withUnsubscribe(mail, '{{ unsubscribe_url }}');
  const body = {
    subject: subject.replace(/\{(?=[{%#])/g, '{ '),
    // The comment selects the editor that takes HTML.
    body: `<!-- buttondown-editor-mode: fancy -->\n${html.replace(/^[\s\S]*?<body[^>]*>|<\/body>[\s\S]*$/g, '')}`,
    status: 'draft',
    metadata: { catalog_key: key },
    filters: {
      predicate: 'and',
      groups: [],
      filters: [{ field: 'subscriber.tags', operator: 'contains', value: tag }],
    },
  };
  return parsed(name, email.pick({ id: true }), await call({ step: 'create', method: 'POST', url, body })).id;
}
