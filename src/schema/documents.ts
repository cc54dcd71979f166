import * as z from 'zod';
import { date, demoPoint, issueNumber, pathName, slug, step, webUrl } from './fields.ts';
import { promptLicense } from './license.ts';

/** The version of the contract (C9.1). */
export const contractVersion = '1.1.0';

const nonEmpty = z.string().min(1);

/** The agent document (C2.2, C2.20): exactly these fields. Fields that are null are present. */
export const agentDocument = z
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
    videoUrl: webUrl.nullable().describe('Null when there is no video'),
    url: webUrl.describe('Human page'),
    apiUrl: webUrl.describe('This document as JSON'),
    promptUrl: webUrl.describe('The prompt as plain text'),
    configUrl: webUrl.nullable().describe('Null when the agent has no config'),
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
export const agentSummary = agentDocument
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
const schema = webUrl.describe('Address of the JSON Schema of this document');

/** The response of listAgents. */
export const catalog = z
  .strictObject({
    version,
    schema,
    count: z.int().min(0).describe('How many agents there are'),
    agents: z.array(agentSummary).describe('Published agents, newest first'),
  })
  .meta({ title: 'Catalog', description: 'Every published agent, newest first' });

/** The response of getAgent. */
export const agentEnvelope = z
  .strictObject({ version, schema, agent: agentDocument })
  .meta({ title: 'AgentEnvelope', description: 'One agent with its prompt and config' });

export type AgentDocument = z.infer<typeof agentDocument>;
export type AgentSummary = z.infer<typeof agentSummary>;
export type Catalog = z.infer<typeof catalog>;
export type AgentEnvelope = z.infer<typeof agentEnvelope>;

/** Formats a published JSON file: indented by two spaces, with a newline at the end. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
