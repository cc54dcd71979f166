import * as z from 'zod';
import { parseBoundedJson } from '../text-safety/bounded-input.ts';

/** The file that identifies the build in a folder. A build writes it last. */
export const buildFile = 'build.json';

/** The contents of build.json. Programs that need only some of its fields pick those. */
export const buildInfo = z.object({
  /** A hash of the paths and bytes of all other files: two builds with the same id are identical. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** The version of the program that made the build. */
  version: z.string(),
  baseUrl: z.url(),
  /** The address for votes, subscriptions and MCP; null if there is none. */
  runtimeUrl: z.url().nullable(),
  preview: z.boolean(),
  /** From each former slug to the agent's current slug. */
  moved: z.record(z.string(), z.string()),
  counts: z.object({ agents: z.int(), files: z.int() }),
});

export type BuildInfo = z.infer<typeof buildInfo>;

/** Parses the bytes of build.json. Throws an Error if they are not what a build writes. */
export function parseBuildInfo(bytes: Buffer): BuildInfo {
  try {
    return buildInfo.parse(parseBoundedJson(bytes.toString('utf8')));
  } catch {
    throw new Error(`${buildFile} was not written by catalog build`);
  }
}
