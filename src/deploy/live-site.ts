import { z } from 'zod';
import { OperationError } from '../errors.ts';
import { buildInfo } from '../schema/build-info.ts';

/** What a live address says of its build. */
export interface LiveSite {
  /** The id of the build that is live; null where the address has none. */
  id: string | null;
  /** What is wrong with it, each as a sentence; empty where all is well. */
  faults: string[];
}

const buildShape = buildInfo.pick({ id: true, counts: true });
const skillsShape = z.object({ skills: z.array(z.object({ url: z.string() })) });

/**
 * Asks the address `baseUrl` for build.json and for the index of skills, which a host that drops hidden folders lacks.
 *
 * Throws OperationError when the address does not answer at all.
 */
export async function readLiveSite(baseUrl: string): Promise<LiveSite> {
  const build = await fetchJson(`${baseUrl}/build.json`, buildShape);
  if ('fault' in build) return { id: null, faults: [build.fault] };
  const { id, counts } = build.value;
  const index = await fetchJson(`${baseUrl}/.well-known/agent-skills/index.json`, skillsShape);
  if ('fault' in index) return { id, faults: [index.fault] };
  const skills = index.value.skills.length;
  return {
    id,
    faults: skills === counts.agents ? [] : [`The index of skills has ${skills} entries for ${counts.agents} agents.`],
  };
}

async function fetchJson<Shape extends z.ZodType>(
  url: string,
  shape: Shape,
): Promise<{ value: z.infer<Shape> } | { fault: string }> {
  // A cache on the way may hold yesterday's file: the query makes it another address.
  const fresh = `${url}?at=${Date.now()}`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(fresh, { headers: { 'cache-control': 'no-cache' }, signal: AbortSignal.timeout(15_000) });
    text = await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    throw new OperationError(`${url} does not answer (${cause instanceof Error ? cause.message : message}).`);
  }
  if (!response.ok) return { fault: `${url} answers ${response.status}.` };
  try {
    return { value: shape.parse(JSON.parse(text)) };
  } catch {
    return { fault: `${url} is not what a build writes.` };
  }
}
