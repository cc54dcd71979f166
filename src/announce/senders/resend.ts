import * as z from 'zod';
import { OperationError } from '../../errors.ts';
import type { ListName } from '../../subscribers/provider.ts';
import type { ResendSettings } from '../../subscribers/resend.ts';
import type { Campaign, CampaignService } from '../campaign.ts';
import { parsed, ServiceFailed, type ServiceTools, serviceCalls } from '../service-calls.ts';
import { type OutgoingMail, withUnsubscribe } from './sender.ts';

const name = 'resend';

const created = z.object({ id: z.string() });
const broadcast = z.object({
  id: z.string(),
  name: z.string().nullish(),
  // It is printed if it is not known.
  status: z.string().max(40),
  segment_id: z.string().nullish(),
});
const broadcasts = z.object({ has_more: z.boolean().optional(), data: z.array(broadcast) });

/** What the states of a broadcast mean. Any other needs a person. */
const sent = ['queued', 'scheduled', 'sent'];

/** The most pages of broadcasts that are read. */
const mostPages = 100;

/** Sends broadcasts with Resend to the segment of a list (resend.com/docs/api-reference/broadcasts). */
export function resend(
  { url, key, lists }: Pick<ResendSettings, 'url' | 'key' | 'lists'>,
  { list, from, home }: { list: ListName; from: string; home: string },
  tools: ServiceTools,
): CampaignService {
  const call = serviceCalls(name, key, { authorization: `Bearer ${key}` }, tools);
  const segment = lists[list];
  const broadcastAt = (id: string) => `${url}/broadcasts/${encodeURIComponent(id)}`;
  return {
    name: 'Resend',
    async audience() {
      const found = await call({ step: 'segment', method: 'GET', url: `${url}/segments/${segment}` }).catch((error) => {
        if (!(error instanceof ServiceFailed) || error.status !== 404) throw error;
        throw new OperationError(`Resend has no segment ${segment}, so nothing was sent.`, { cause: error });
      });
      return `the segment ${JSON.stringify(parsed(name, z.object({ name: z.string() }), found).name)} (${segment})`;
    },
    async find(wanted) {
      const found: Campaign[] = [];
      let after = '';
      for (let page = 0; page < mostPages; page += 1) {
        const address = `${url}/broadcasts?limit=100${after}`;
        const { data, has_more } = parsed(name, broadcasts, await call({ step: 'find', method: 'GET', url: address }));
        found.push(...data.filter((each) => each.name === wanted).map(campaignOf));
        const last = data.at(-1);
        if (has_more !== true || last === undefined) return found;
        after = `&after=${encodeURIComponent(last.id)}`;
      }
      throw new OperationError('Resend has more broadcasts than can be searched, so nothing was sent.');
    },
    async create(wanted, mail) {
      const body = { name: wanted, segment_id: segment, from, ...contentOf(mail, '{{{RESEND_UNSUBSCRIBE_URL}}}') };
      return parsed(name, created, await call({ step: 'create', method: 'POST', url: `${url}/broadcasts`, body })).id;
    },
    async read(id) {
      const found = parsed(name, broadcast, await call({ step: 'read', method: 'GET', url: broadcastAt(id) }));
      if (found.segment_id != null && found.segment_id !== segment) {
        throw new OperationError(`The broadcast ${id} at Resend is for another segment, so it was not sent.`);
      }
      return campaignOf(found);
    },
    send: async (id) => void (await call({ step: 'send', method: 'POST', url: `${broadcastAt(id)}/send`, body: {} })),
    async test(_key, mail, address) {
      const body = { from, to: [address], ...contentOf(mail, home) };
      await call({ step: 'test', method: 'POST', url: `${url}/emails`, body });
      return `Resend sends the email to ${address}. Its link to unsubscribe only opens the home page.`;
    },
  };
}

function campaignOf({ id, status }: z.infer<typeof broadcast>): Campaign {
  return { id, state: sent.includes(status) ? 'sent' : status };
}

/** Resend replaces what is in three braces, also in plain text, where nothing can escape them. */
function contentOf(mail: OutgoingMail, unsubscribe: string): { subject: string; html: string; text: string } {
  const apart = (given: string) => given.replace(/\{{3,}/g, (run) => run.split('').join(' '));
  const plain = apart(mail.text);
  const note = 'Some braces in this text are separated by spaces. The prompt as a file, linked below, is exact.\n\n';
  const text = plain === mail.text ? plain : `${note}${plain}`;
  const { subject, ...filled } = withUnsubscribe({ ...mail, text }, unsubscribe);
  return { subject: apart(subject), html: filled.html, text: filled.text };
}
