import * as z from 'zod';
import { parseBoundedJson } from '../lib/bounded.ts';
import { sha256Of } from '../lib/files.ts';
import { date, demoPoint, issueNumber, pathName, sha256, slug, step, webUrl } from './fields.ts';

/** The license of every published prompt, which the contract fixes (C1.7). */
export const promptLicense = {
  /** The SPDX identifier. */
  id: 'CC-BY-4.0',
  name: 'CC BY 4.0',
  url: 'https://creativecommons.org/licenses/by/4.0/',
} as const;

/** The licenses under which a text by others may be published under the license of prompts: SPDX identifiers. */
const compatible = [promptLicense.id, 'CC0-1.0', '0BSD', 'MIT-0', 'Unlicense'];

/** Whether a text with this license may be published under the license of prompts. Unknown licenses give no permission. */
export function isPublishable(license: string): boolean {
  return compatible.some((id) => id.toLowerCase() === license.toLowerCase());
}

/** The licenses that `isPublishable` accepts, as text. */
export const publishableLicenses = compatible.join(', ');

/** The version of the contract (C9.1). */
export const contractVersion = '1.1.0';

const nonEmpty = z.string().min(1);

/** An address. The pattern is for validators that ignore formats. */
const address = webUrl.meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' });

/** The agent document (C2.2, C2.20): exactly these fields. Fields that are null are present. */
const agentDocument = z
  .strictObject({
    title: nonEmpty.describe('Display title'),
    slug: slug.describe('Unique key of the agent'),
    date: date.describe('Publication date'),
    issue: issueNumber.describe('Running issue number'),
    category: pathName.describe('Machine category key'),
    categoryLabel: nonEmpty.describe('Human label of the category'),
    tags: z.array(pathName).describe('Free tags'),
    difficulty: nonEmpty.describe('How hard it is to use'),
    runtimes: z.array(nonEmpty).describe('Names of the assistants or tools the prompt is meant for'),
    excerpt: nonEmpty.describe('One-sentence summary'),
    problem: nonEmpty.describe('Problem statement'),
    videoUrl: address.nullable().describe('Null when there is no video'),
    url: address.describe('Human page'),
    apiUrl: address.describe('This document as JSON'),
    promptUrl: address.describe('The prompt as plain text'),
    configUrl: address.nullable().describe('Null when the agent has no config'),
    configFilename: nonEmpty.nullable().describe('Null when the agent has no config'),
    license: z.literal(promptLicense.id).describe('SPDX identifier of the license of the prompt'),
    howItWorks: z.string().describe('Markdown; paragraphs separated by blank lines'),
    steps: z.array(step).describe('What the reader does, in order'),
    demo: z.array(demoPoint).describe('The demo as a timeline, ordered by second'),
    sampleInput: z.string().describe('Example input for the prompt'),
    prompt: nonEmpty.describe('The full prompt, with its INPUT, RULES and OUTPUT sections'),
    config: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
      .describe('The parsed value of a JSON config that holds an object, else its text; null when there is none'),
  })
  .meta({ title: 'Agent', description: 'One published prompt with its metadata' });

/** The fields of an agent in the catalog. */
const agentSummary = agentDocument
  .pick({
    title: true,
    slug: true,
    date: true,
    issue: true,
    category: true,
    categoryLabel: true,
    tags: true,
    difficulty: true,
    runtimes: true,
    excerpt: true,
    url: true,
    apiUrl: true,
    promptUrl: true,
  })
  .meta({ title: 'AgentSummary', description: 'What the catalog lists of an agent' });

const version = z.literal(contractVersion).describe('Version of the contract');
const schema = address.describe('Address of the JSON Schema of this document');

/** The response of listAgents. */
const catalog = z
  .strictObject({
    version,
    schema,
    count: z.int().min(0).describe('How many agents there are'),
    agents: z.array(agentSummary).describe('Published agents, newest first'),
  })
  .meta({ title: 'Catalog', description: 'Every published agent, newest first' });

/** The response of getAgent. */
const agentEnvelope = z
  .strictObject({ version, schema, agent: agentDocument })
  .meta({ title: 'AgentEnvelope', description: 'One agent with its prompt and config' });

/** The documents of the contract, under their names in its schemas. */
export const contractShapes = {
  Agent: agentDocument,
  AgentSummary: agentSummary,
  Catalog: catalog,
  AgentEnvelope: agentEnvelope,
};

export type AgentDocument = z.infer<typeof agentDocument>;
export type AgentSummary = z.infer<typeof agentSummary>;
export type Catalog = z.infer<typeof catalog>;
export type AgentEnvelope = z.infer<typeof agentEnvelope>;

/** Formats a published JSON file: indented by two spaces, with a newline at the end. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

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

/** A version of a plugin that was published. */
export interface PluginRelease {
  version: string;
  /** Its files, by path, with the ids of their bytes in Git. */
  files: readonly (readonly [path: string, blob: string])[];
  /** The SHA-256 of its SKILL.md, in hexadecimal; null if it has none. */
  skill: string | null;
}

/** The plugins that the branch `install` has or had. The branch remembers their versions. */
export interface PublishedPlugins {
  /** The releases by the name of their plugin, each with the oldest first. No two of a plugin have the same version. */
  releases: ReadonlyMap<string, readonly PluginRelease[]>;
  /** Whether a release consists of exactly these files. */
  isRelease(release: PluginRelease, files: ReadonlyMap<string, string>): boolean;
  /** Returns the texts of files by the ids of their bytes. Those that this clone lacks are left out. */
  read(blobs: Iterable<string>): ReadonlyMap<string, string>;
}

/** How many times a plugin was changed, from its version; null if it is not such a version. */
export function revisionOf(version: unknown): number | null {
  const [, revision] = (typeof version === 'string' && /^1\.(0|[1-9]\d{0,8})\.0$/.exec(version)) || [];
  return revision === undefined ? null : Number(revision);
}

/** The path of the document below the base URL. */
export const revisionsPath = 'api/revisions.json';

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
