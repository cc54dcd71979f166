import * as z from 'zod';
import { onceForLast } from '../lib/lazy.ts';
import type { Evals, Proof } from './evals.ts';
import { date, demoPoint, issueNumber, line, listOf, pathName, publicUrl, slug, step, text, webUrl } from './fields.ts';
import type { KnownVocabulary } from './settings.ts';
import { configExtensions } from './slugs.ts';

const fileName = new RegExp(`^\\.?[A-Za-z0-9][\\w-]*(?:\\.[\\w-]+)*\\.(?:${configExtensions.join('|')})$`);
const device = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])\./i;
const startUpFile = /^\.[\w.-]*rc\./i;

/**
 * Whether it is safe to tell readers to save a config under this name. It must be a plain file name with the extension
 * of a config, and not a device name of Windows or a startup file of a tool (`.yarnrc.yml`). The extension alone
 * excludes names from `.bashrc` to `setup.exe`.
 */
export function isConfigFilename(name: string): boolean {
  return name.length <= 100 && fileName.test(name) && !device.test(name) && !startUpFile.test(name);
}

/**
 * The schema of the front matter of agent.md.
 *
 * The settings of the publication list the allowed categories, difficulties and runtimes. If a list is unknown, any
 * text is allowed. Commands that read a catalog again get the same schema, since zod needs longer to make one than to
 * check an agent.
 */
export function frontMatterSchema({ categories, difficulties, runtimes }: KnownVocabulary) {
  return schemaOf(JSON.stringify([categories && Object.keys(categories), difficulties, runtimes]));
}

const schemaOf = onceForLast((vocabulary: string) => {
  const [categories, difficulties, runtimes] = JSON.parse(vocabulary) as (string[] | null)[];
  return z.strictObject({
    title: line(120).describe('The display title'),
    date: date.describe('The publication date, YYYY-MM-DD'),
    issue: issueNumber.nullish().describe('The issue number, written by `catalog publish`'),
    draft: z.boolean({ error: 'true or false' }).nullish().describe('true keeps the agent out of every build'),
    withdrawn: text(500).nullish().describe('Why a published agent was withdrawn'),
    formerSlugs: z.array(slug).max(50).nullish().describe('Slugs that this agent had before'),
    category: oneOf('categories', categories).describe('The key of its category'),
    tags: uniqueList(pathName, 12).describe('Free tags, lowercase words joined by hyphens'),
    keywords: uniqueList(line(60), 20).nullish().describe('Words that readers may search by; searched, never shown'),
    difficulty: oneOf('difficulties', difficulties).describe('How hard it is to use'),
    runtimes: uniqueList(oneOf('runtimes', runtimes), 20).describe(
      'The assistants or tools that the prompt is meant for',
    ),
    excerpt: line(300).describe('One sentence that says what the reader gets'),
    trap: line(200).nullish().describe('The mistake that the agent prevents, in one line'),
    inputs: z
      .record(line(40), line(300))
      .nullish()
      .describe(
        'A hint for readers by the name of an input; default: the hint in the prompt, which is for the assistant',
      ),
    problem: text(1000).describe('The problem that it solves'),
    videoUrl: publicUrl.nullish().describe('The address of a video'),
    configFilename: z
      .string()
      .refine(isConfigFilename, {
        error: `a file name such as .mcp.json: at most 100 letters, digits, dots, hyphens and underscores, with the extension of a config (${configExtensions.join(', ')}), and not the startup file of a tool`,
      })
      .nullish()
      .describe('The name under which a reader saves the config'),
    source: z
      .strictObject({
        address: webUrl.optional().describe('The address that it was imported from'),
        license: line(100).describe('Its license there, as an SPDX identifier, or `unknown`'),
      })
      .nullish()
      .describe('Where an imported prompt comes from'),
    steps: listOf(step, 'step').max(20).describe('What the reader does, in order'),
    demo: listOf(demoPoint, 'point')
      .max(50)
      .superRefine(inOrderOfTime, always)
      .describe('The demo as a timeline, in order of `second`'),
  });
});

/**
 * Applies a rule about a whole list even if an entry breaks another rule, so that all problems are reported together.
 */
const always = { when: ({ value }: { value: unknown }) => Array.isArray(value) };

function inOrderOfTime(points: readonly unknown[], context: z.RefinementCtx): void {
  const seconds = points.map((point) => (point as { second?: unknown } | null)?.second);
  for (const [index, second] of seconds.entries()) {
    const before = seconds[index - 1];
    if (typeof second === 'number' && typeof before === 'number' && second < before) {
      context.addIssue({
        code: 'custom',
        path: [index, 'second'],
        message: `at least ${before}, because the point before it is at second ${before}`,
        params: { hint: 'Write the points in the order of their seconds.' },
      });
    }
  }
}

export type FrontMatterSchema = ReturnType<typeof frontMatterSchema>;
type FrontMatter = z.infer<FrontMatterSchema>;

/** One of the values that a setting lists. */
function oneOf(setting: string, values: readonly string[] | null = null): z.ZodType<string> {
  return values === null ? z.string() : z.enum(values).meta({ setting });
}

function uniqueList<Item extends z.ZodType<string>>(item: Item, max: number) {
  return listOf(item)
    .max(max)
    .superRefine((values, context) => {
      const seen = new Set<string>();
      for (const [index, value] of values.entries()) {
        if (seen.has(value)) {
          context.addIssue({
            code: 'custom',
            path: [index],
            message: 'different from the entries before it',
            params: { hint: 'Remove one of the two.' },
          });
        }
        seen.add(value);
      }
    }, always);
}

/**
 * An agent as read from its folder, well-formed: a plain value that is never changed. Its fields are what lists, neighbors
 * and the search show of it.
 */
export interface Agent extends Omit<FrontMatter, 'demo'> {
  slug: string;
  /** A hash of its files. */
  digest: string;
  /** A hash of its fields. */
  headDigest: string;
  /** The name of the config file, or null. */
  configFile: string | null;
  /** How the recorded answers did; null if there are none. */
  proof: Proof | null;
  /** Returns its long texts. If an earlier build parsed the agent, they are read when this is first called. */
  texts: () => AgentTexts;
}

/** The fields of an agent, which a build remembers. */
export type AgentHead = Omit<Agent, 'texts'>;

/** The long texts of an agent, and what is made of them. */
export interface AgentTexts extends Pick<FrontMatter, 'demo'> {
  /** The body of agent.md: Markdown, without blank lines around it. */
  howItWorks: string;
  /** The exact text of prompt.txt. The samples are exact too. */
  prompt: string;
  sampleInput: string;
  sampleOutput: string;
  config: Config | null;
  /** Its cases with the recorded answers; null if it has none. */
  evals: Evals | null;
}

/** The config of an agent. */
interface Config {
  /** The name of the file in the folder, such as `config.json`. */
  file: string;
  text: string;
  /** The parsed value if the file is a JSON object, or else its text. */
  value: string | Record<string, unknown>;
}

/** An agent that a build renders. */
export interface NumberedAgent extends Agent {
  issue: number;
}

/** A commit that changed an agent, other than by adding its number. */
export interface Change {
  /** The full hash of the commit. */
  commit: string;
  /** When it was committed, in milliseconds since 1970. */
  time: number;
  /** Whether it added or removed the whole agent, as a rename does under both names. */
  whole: boolean;
  /**
   * How many lines of prompt.txt it added and removed, and the SHA-256 of the result (null if it is gone); null if it did
   * not change the prompt.
   */
  prompt: { added: number; removed: number; sha256: string | null } | null;
}

/** The names of the files that every agent has. */
export const requiredFiles = ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'] as const;
