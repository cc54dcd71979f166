import * as z from 'zod';
import { fetchJson } from '../deploy/live-site.ts';
import { OperationError } from '../errors.ts';
import type { PublishedAgent } from '../outputs/site.ts';

const liveAgent = z.object({ agent: z.object({ slug: z.string(), issue: z.int(), prompt: z.string() }) });

/**
 * Checks that the page of an agent is online with the number and the prompt that the mail has. Throws OperationError with
 * the reason if it is not.
 */
export async function checkLive({ slug, issue, prompt, document }: PublishedAgent): Promise<void> {
  const refuse = (reason: string) => new OperationError(`The page is not live, so nothing was sent. ${reason}`);
  const page = await fetch(document.url, { signal: AbortSignal.timeout(15_000) }).catch(() => null);
  await page?.body?.cancel().catch(() => {});
  if (page === null) throw refuse(`${document.url} does not answer.`);
  if (!page.ok) throw refuse(`${document.url} returned status ${page.status}.`);
  const live = await fetchJson(document.apiUrl, liveAgent);
  if ('problem' in live) throw refuse(live.problem);
  const { agent } = live.value;
  if (agent.slug === slug && agent.issue === issue && agent.prompt === prompt) return;
  throw refuse(`${document.apiUrl} has a different number or prompt than this folder. Publish and deploy first.`);
}
