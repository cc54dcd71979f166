import * as z from 'zod';
import { largestDocument } from '../lib/bounded.ts';
import { OperationError } from '../lib/errors.ts';
import { type HttpFailed, httpRequest } from '../lib/http.ts';
import { buildInfo } from '../schema/documents.ts';

const buildShape = buildInfo.pick({ id: true, counts: true, preview: true }).partial({ preview: true });
const skillsShape = z.object({ skills: z.array(z.object({ url: z.string() })) });

/**
 * Requests build.json and the index of skills from `baseUrl`. The index is missing on a host that drops hidden folders.
 * `id` is null if the address has no build. Each problem is a sentence.
 *
 * Throws OperationError if the address does not answer.
 */
export async function readLiveSite(baseUrl: string): Promise<{ id: string | null; problems: string[] }> {
  const build = await fetchJson(`${baseUrl}/build.json`, buildShape);
  if ('problem' in build) return { id: null, problems: [build.problem] };
  const { id, counts, preview = false } = build.value;
  const index = await fetchJson(`${baseUrl}/.well-known/agent-skills/index.json`, skillsShape);
  if ('problem' in index) return { id, problems: [index.problem] };
  const skills = index.value.skills.length;
  return {
    id,
    problems: [
      ...(preview ? [`${baseUrl} serves a preview, which may show drafts and agents that are not due yet.`] : []),
      ...(skills === counts.agents
        ? []
        : [`The skills index has ${skills} entries, but the build has ${counts.agents} agents.`]),
    ],
  };
}

/** Requests JSON of a shape, past caches. Throws OperationError if the address does not answer. */
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
