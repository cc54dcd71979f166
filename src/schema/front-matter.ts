import { z } from 'zod';
import { configExtensions, isConfigFilename } from './config-files.ts';
import { date, demoPoint, issueNumber, line, pathName, publicUrl, slug, step, text } from './fields.ts';
import type { Vocabulary } from './settings.ts';

/**
 * The front matter of agent.md, as an editor writes it.
 *
 * The allowed categories, difficulties and runtimes come from the publication's settings.
 */
export function frontMatterSchema({ categories, difficulties, runtimes }: Vocabulary) {
  return z
    .strictObject({
      title: line(120).describe('The display title'),
      date: date.describe('The day of publication, YYYY-MM-DD'),
      issue: issueNumber.nullish().describe('The running number, written by `catalog publish`'),
      draft: z.boolean({ error: 'true or false' }).nullish().describe('true keeps the agent out of every build'),
      withdrawn: text(500).nullish().describe('Why a published agent was taken back'),
      formerSlugs: z
        .array(slug)
        .max(50, { error: 'a list of at most 50' })
        .nullish()
        .describe('Slugs that this agent had before'),
      category: oneOf(Object.keys(categories)).describe('The key of its category'),
      tags: uniqueList(pathName, 12).describe('Free tags, lower-case words joined by hyphens'),
      difficulty: oneOf(difficulties).describe('How hard it is to use'),
      runtimes: uniqueList(oneOf(runtimes), 20).describe('The assistants or tools that the prompt is meant for'),
      excerpt: line(300).describe('One sentence that says what the reader gets'),
      problem: text(1000).describe('The problem that it solves'),
      videoUrl: publicUrl.nullish().describe('The address of a video'),
      configFilename: z
        .string()
        .refine(isConfigFilename, {
          error: `a file name such as .mcp.json: letters, digits, dots, hyphens and underscores, at most 100 of them, with the ending of a config (${configExtensions.join(', ')}), and no start-up file of a tool`,
        })
        .nullish()
        .describe('The name under which a reader saves the config'),
      steps: z
        .array(step)
        .min(1, { error: 'a list of at least one step' })
        .max(20)
        .describe('What the reader does, in order'),
      demo: z
        .array(demoPoint)
        .min(1, { error: 'a list of at least one point' })
        .max(50)
        .describe('The demo as a timeline, in order of `second`'),
    })
    .superRefine(({ demo }, context) => {
      for (const [index, point] of demo.entries()) {
        const before = demo[index - 1];
        if (before !== undefined && point.second < before.second) {
          context.addIssue({
            code: 'custom',
            path: ['demo', index, 'second'],
            message: `at least ${before.second}, as the point before it: the demo is in order of time`,
          });
        }
      }
    });
}

export type FrontMatter = z.infer<ReturnType<typeof frontMatterSchema>>;

function oneOf(values: readonly string[]) {
  return z.enum(values, { error: (issue) => (issue.code === 'invalid_value' ? undefined : 'text') });
}

function uniqueList<Item extends z.ZodType<string>>(item: Item, max: number) {
  return z
    .array(item)
    .min(1, { error: 'a list of at least one' })
    .max(max, { error: `a list of at most ${max}` })
    .superRefine((values, context) => {
      const seen = new Set<string>();
      for (const [index, value] of values.entries()) {
        if (seen.has(value)) {
          context.addIssue({ code: 'custom', path: [index], message: 'different from the entries before it' });
        }
        seen.add(value);
      }
    });
}
