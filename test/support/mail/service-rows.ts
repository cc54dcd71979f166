import type { Sender, Subject } from '../../../src/mail/campaign.ts';
import type { ListName } from '../../../src/mail/provider.ts';
import { openSender } from '../../../src/mail/senders.ts';
import { inFolder } from '../catalog.ts';
import { journalIn, smallSubject } from './announcing.ts';
import { type Answer, buttondown, listmonk, resend, type Service, startService } from './services.ts';

/** The services that send emails, as a table. */

const segment = '78261eea-8f8b-4381-83c6-79fa7120f1c1';
const common = { CATALOG_SIGNUPS_KEY: 'k3y', CATALOG_MAIL_FROM: 'Daily <daily@press.example>' };
const lists = (id: string) => ({
  ...{ CATALOG_SIGNUPS_LIST_DAILY: id, CATALOG_SIGNUPS_LIST_PRO: id, CATALOG_SIGNUPS_LIST_CUSTOM: id },
});

export interface Row {
  answer: (...given: never[]) => Answer;
  environment: Record<string, string>;
  /** To whom its emails go. */
  to: string | number;
  /** The same service without the list, and what is said then. */
  without: [answer: Answer, message: RegExp];
  /** The requests that create, find, read and send, by method and path. */
  send: RegExp;
  create: RegExp;
}

export const rows: Record<string, Row> = {
  buttondown: {
    answer: () => buttondown(),
    environment: { CATALOG_SIGNUPS: 'buttondown', ...common },
    to: 'sub_tag_0k28edc3fw896bp4mrhc535z5k',
    without: [buttondown('other'), /^Buttondown has no tag "daily", so nothing was sent\.$/],
    create: /^POST \/v1\/emails$/,
    send: /^POST \/v1\/emails\/em_\d+\/publish$/,
  },
  resend: {
    answer: () => resend(segment),
    environment: { CATALOG_SIGNUPS: 'resend', ...common, ...lists(segment) },
    to: segment,
    without: [resend('other'), /^Resend has no segment 78261eea-\S+, so nothing was sent\.$/],
    create: /^POST \/broadcasts$/,
    send: /^POST \/broadcasts\/br_\d+\/send$/,
  },
  listmonk: {
    answer: () => listmonk(),
    environment: {
      ...{ CATALOG_SIGNUPS: 'listmonk', CATALOG_MAIL_TEMPLATE: '7' },
      ...{ ...common, CATALOG_SIGNUPS_KEY: 'api:k3y', ...lists('1') },
    },
    to: 1,
    without: [
      (asked, service) => (asked.path.startsWith('/api/lists/') ? { status: 400 } : listmonk()(asked, service)),
      /^listmonk has no list 1, so nothing was sent\.$/,
    ],
    create: /^POST \/api\/campaigns$/,
    send: /^PUT \/api\/campaigns\/\d+\/status$/,
  },
};

export interface Place {
  service: Service;
  sender: Sender;
  folder: string;
  /** Announces, as often as a schedule does. */
  send(subject?: Subject): ReturnType<Sender['send']>;
  now: { ms: number };
  /** How long the sender waited each time, in milliseconds. */
  waits: number[];
}

/** The time limit of a call, in milliseconds. It ends when the service stays silent, and not before, however slow the machine is. */
const timeoutMs = 987_654;

/** Runs `use` while the signals of time limits of that length abort when `expire` is called. */
async function withCallLimit(use: (expire: () => void) => Promise<void>): Promise<void> {
  const { timeout } = AbortSignal;
  const limits: AbortController[] = [];
  AbortSignal.timeout = (ms) => {
    if (ms !== timeoutMs) return timeout.call(AbortSignal, ms);
    const limit = new AbortController();
    limits.push(limit);
    return limit.signal;
  };
  try {
    await use(() => {
      for (const limit of limits.splice(0)) limit.abort(new DOMException('The operation timed out.', 'TimeoutError'));
    });
  } finally {
    AbortSignal.timeout = timeout;
  }
}

/** Runs `use` with a service, which answers as its row or `answer` says, and a sender for a list of it. */
export function withService(
  row: Row,
  use: (place: Place) => Promise<void>,
  answer = row.answer(),
  list: ListName = 'daily',
): Promise<void> {
  return withCallLimit(async (expire) => withSender(row, use, await startService(answer, expire), list));
}

async function withSender(
  row: Row,
  use: (place: Place) => Promise<void>,
  service: Service,
  list: ListName,
): Promise<void> {
  const now = { ms: Date.parse('2026-11-20T08:00:00Z') };
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
    now.ms += ms;
  };
  const clock = () => new Date(now.ms);
  try {
    await inFolder(async (folder) => {
      const environment = { ...row.environment, CATALOG_SIGNUPS_URL: service.url };
      const { sender } = await openSender({
        list,
        site: { baseUrl: 'https://press.example', runtimeUrl: 'https://press.example' },
        ...{ data: folder, environment, now: clock, wait, calls: { timeoutMs } },
      });
      const send = async (subject = smallSubject()) => {
        const claim = await journalIn(folder, clock).claim(subject.key);
        return sender.send(subject, claim).finally(() => claim.release());
      };
      await use({ service, sender, folder, send, now, waits });
    });
  } finally {
    await service.close();
  }
}
