import * as z from 'zod';
import { sha256Of } from '../digest.ts';
import { date, issueNumber, slug, webUrl } from './fields.ts';

/** The path of the document below the base URL. */
export const revisionsPath = 'api/revisions.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The revisions of an agent: digests by which a copy of its prompt, skill or plugin is recognized. */
const agentRevisions = z.object({
  slug,
  issue: issueNumber,
  url: webUrl.describe('Human page'),
  formerSlugs: z.array(slug),
  prompts: z
    .array(
      z.object({
        sha256: sha256.describe('Of prompt.txt, in hexadecimal'),
        date: date.describe('When it was committed; without history, when it was published'),
      }),
    )
    .min(1)
    .describe('Revisions of the prompt, newest first'),
  plugins: z
    .array(
      z.object({
        name: slug.describe('The slug that the agent had'),
        version: z.string().regex(/^1\.\d{1,9}\.0$/),
        sha256: sha256.describe('Of the archive plugins/<name>-<version>.zip'),
        skill: sha256.nullable().describe('Of the SKILL.md in it'),
      }),
    )
    .min(1)
    .describe('Versions of the plugin, the current one first'),
  lines: z
    .string()
    .regex(/^(?:[0-9a-f]{8})*$/)
    .describe(
      'The first eight digits of the SHA-256 of each different line of the current prompt, without blank lines and without spaces ' +
        'around lines, to recognize changed copies',
    ),
});

/** The response of getRevisions. */
export const revisions = z
  .object({
    complete: z.boolean().describe('Whether earlier revisions are known; false without the Git history'),
    agents: z.array(agentRevisions).describe('Published agents, newest first'),
  })
  .meta({ title: 'Revisions', description: 'Digests of every revision of every agent' });

export type AgentRevisions = z.infer<typeof agentRevisions>;
export type Revisions = z.infer<typeof revisions>;

/** The digests in `lines`, of any text. */
export function lineDigests(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines)].filter((line) => line !== '').map((line) => sha256Of(line).slice(0, 8));
}
