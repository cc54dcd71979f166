import * as z from 'zod';
import { largestDocument, parseBoundedJson, readBounded } from '../lib/bounded.ts';
import { OperationError } from '../lib/errors.ts';
import { buildInfo } from '../schema/documents.ts';

/** The build at a live address. */
export interface LiveSite {
  /** The id of the build; null if the address has none. */
  id: string | null;
  /** Its problems, each as a sentence. */
  problems: string[];
}

const buildShape = buildInfo.pick({ id: true, counts: true, preview: true }).partial({ preview: true });
const skillsShape = z.object({ skills: z.array(z.object({ url: z.string() })) });

/**
 * Requests build.json and the index of skills from `baseUrl`. The index is missing on a host that drops hidden folders.
 *
 * Throws OperationError if the address does not answer.
 */
export async function readLiveSite(baseUrl: string): Promise<LiveSite> {
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
  let response: Response;
  let body: Buffer | null;
  try {
    response = await fetch(fresh, { headers: { 'cache-control': 'no-cache' }, signal: AbortSignal.timeout(15_000) });
    body = await readBounded(response.body, largestDocument);
  } catch (error) {
    const { message, cause } = error as Error;
    throw new OperationError(`${url} does not answer (${cause instanceof Error ? cause.message : message}).`);
  }
  if (!response.ok) return { problem: `${url} returned status ${response.status}.` };
  try {
    return { value: shape.parse(parseBoundedJson(body?.toString('utf8') ?? '')) };
  } catch {
    return { problem: `${url} was not written by catalog build.` };
  }
}
