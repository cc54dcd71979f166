import * as z from 'zod';
import { OperationError } from '../../errors.ts';
import type { ListmonkSettings } from '../../subscribers/listmonk.ts';
import type { ListName } from '../../subscribers/provider.ts';
import type { Campaign, CampaignService } from '../campaign.ts';
import { parsed, ServiceFailed, type ServiceTools, serviceCalls } from '../service-calls.ts';
import { type OutgoingMail, withUnsubscribe } from './sender.ts';

const name = 'listmonk';

const campaign = z.object({
  id: z.int(),
  name: z.string(),
  // It is printed if it is not known.
  status: z.string().max(40),
  lists: z.array(z.object({ id: z.int() })),
});
const one = z.object({ data: campaign });
const many = z.object({ data: z.object({ results: z.array(campaign) }) });
const template = z.object({ data: z.object({ body: z.string() }) });

/** What the states of a campaign mean. Any other, such as `paused`, needs a person: to resume may send mails again. */
const sent = ['scheduled', 'running', 'finished'];

/** Sends campaigns with listmonk to the list of a list (listmonk.app/docs/apis/campaigns). */
export function listmonk(
  { url, key, lists }: ListmonkSettings,
  { list, templateId }: { list: ListName; templateId: number },
  tools: ServiceTools,
): CampaignService {
  const headers = { authorization: `Basic ${Buffer.from(key).toString('base64')}` };
  const call = serviceCalls(name, key, headers, tools);
  const number = lists[list];
  const campaigns = `${url}/api/campaigns`;
  const content = (wanted: string, mail: OutgoingMail) => {
    const escaped = { ...mail, html: mail.html.replace(trackLink, '&#64;TrackLink'), text: goText(mail.text) };
    const { html, text } = withUnsubscribe(escaped, '{{ UnsubscribeURL }}');
    return {
      ...{ name: wanted, subject: goText(mail.subject), lists: [number], type: 'regular', messenger: 'email' },
      ...{ content_type: 'html', template_id: templateId, tags: ['catalog'], headers: [{ 'X-Catalog-Key': wanted }] },
      ...{ body: html, altbody: text },
    };
  };

  async function read(id: string | number): Promise<Campaign> {
    const { data } = parsed(name, one, await call({ step: 'read', method: 'GET', url: `${campaigns}/${id}` }));
    if (data.lists.length !== 1 || data.lists[0]?.id !== number) {
      throw new OperationError(`The campaign ${id} at listmonk is not for list ${number} alone, so it was not sent.`);
    }
    return campaignOf(data);
  }

  /** listmonk's own template counts who opens an email. */
  async function checkTemplate(): Promise<void> {
    const answer = await call({ step: 'template', method: 'GET', url: `${url}/api/templates/${templateId}` });
    const { body } = parsed(name, template, answer).data;
    if (!/\{\{\s*template "content" \.\s*\}\}/.test(body) || /Track(?:View|Link)/.test(body)) {
      throw new OperationError(
        `Template ${templateId} (CATALOG_MAIL_TEMPLATE) has to be {{ template "content" . }} without TrackView and TrackLink, so nothing was sent.`,
      );
    }
  }

  return {
    name,
    async audience() {
      const found = await call({ step: 'list', method: 'GET', url: `${url}/api/lists/${number}` }).catch((error) => {
        if (!(error instanceof ServiceFailed) || ![400, 404].includes(error.status ?? 0)) throw error;
        throw new OperationError(`listmonk has no list ${number}, so nothing was sent.`, { cause: error });
      });
      await checkTemplate();
      const { data } = parsed(name, z.object({ data: z.object({ name: z.string() }) }), found);
      return `the list ${JSON.stringify(data.name)} (${number})`;
    },
    async find(wanted) {
      const query = `query=${encodeURIComponent(wanted)}&no_body=true&per_page=all`;
      const answer = await call({ step: 'find', method: 'GET', url: `${campaigns}?${query}` });
      // It finds parts of names too.
      return parsed(name, many, answer)
        .data.results.filter((each) => each.name === wanted)
        .map(campaignOf);
    },
    async create(wanted, mail) {
      const body = content(wanted, mail);
      return String(parsed(name, one, await call({ step: 'create', method: 'POST', url: campaigns, body })).data.id);
    },
    read,
    async send(id) {
      await call({ step: 'start', method: 'PUT', url: `${campaigns}/${id}/status`, body: { status: 'running' } });
    },
    async test(wanted, mail, address) {
      const body = content(`${wanted}:test`, mail);
      const { id } = parsed(name, one, await call({ step: 'create', method: 'POST', url: campaigns, body })).data;
      await call({
        step: 'test',
        method: 'POST',
        url: `${campaigns}/${id}/test`,
        body: { ...body, subscribers: [address] },
      });
      return `listmonk sends the email to ${address}, which has to be a subscriber. Its draft ${id} stays there.`;
    },
  };
}

function campaignOf({ id, status }: z.infer<typeof campaign>): Campaign {
  return { id: String(id), state: sent.includes(status) ? 'sent' : status };
}

/** listmonk counts who opens an address that ends with this. */
const trackLink = /@TrackLink/g;

/** Escapes plain text for the templates of Go. */
function goText(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}').replace(trackLink, '@{{ "TrackLink" }}');
}
