import type * as z from 'zod';
import { largestDocument } from '../lib/bounded.ts';
import { OperationError } from '../lib/errors.ts';
import { type HttpFailed, httpRequest } from '../lib/http.ts';

/** Requests JSON of a shape from a live site, past caches. Throws OperationError if the address does not answer. */
export async function fetchJson<Shape extends z.ZodType>(
  url: string,
  shape: Shape,
): Promise<{ value: z.infer<Shape> } | { problem: string }> {
  // The query bypasses caches, which may still have yesterday's file.
  const fresh = `${url}?at=${Date.now()}`;
  const limits = { signal: AbortSignal.timeout(15_000), maxBytes: largestDocument, redirects: 20 };
  const foreign = { problem: `${url} was not written by catalog build.` };
  try {
    const answer = await httpRequest(fresh, { headers: { 'cache-control': 'no-cache' }, ...limits });
    if (answer.ok) {
      const { data, success } = shape.safeParse(await answer.json());
      return success ? { value: data } : foreign;
    }
    await answer.discard();
    return { problem: `${url} returned status ${answer.status}.` };
  } catch (error) {
    const { reason, message } = error as HttpFailed;
    if (reason === 'kind' || reason === 'size') return foreign;
    throw new OperationError(`${url} does not answer (${message}).`);
  }
}
