import { zipSync } from 'fflate/browser';
import { sha256Of } from '../../lib/files.ts';
import { onceForLast } from '../../lib/lazy.ts';
import { compareText, yamlText } from '../../lib/text.ts';
import { promptLicense, toJson } from '../../schema/documents.ts';
import type { Settings } from '../../schema/settings.ts';
import { provenance } from '../../text/agent-sections.ts';
import { fenced, plainText, shortened } from '../../text/markdown-text.ts';
import { forAgents, jsonList, type Output, ofAgent } from '../output.ts';
import { embeddedHowItWorks } from '../shared/agent-document.ts';
import type { PublishedAgent } from '../site.ts';

const head = { $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json' };

/** The index of Agent Skills discovery 0.2.0, with the digest of every skill's archive. */
const skillIndex = jsonList(
  '.well-known/agent-skills/index.json',
  'Every agent as a skill to install (Agent Skills discovery)',
  'skills',
  ({ agents }) => ({
    document: head,
    items: agents.map((agent) => ({
      input: agent.fingerprint.whole,
      value: (digest) => indexEntry(agent, digest(archivePath(agent.slug)), `${agent.slug}.zip`),
    })),
  }),
);

/**
 * The index of one agent: to install one skill from the whole index, programs download the archives of all. It is also
 * below former slugs, where `npx skills` would otherwise find the whole index and install all agents.
 */
const indexOfOne: Output = {
  path: 'agents/{slug}/.well-known/agent-skills/index.json',
  purpose: 'An agent as the only skill to install (Agent Skills discovery)',
  *files({ settings, agents, moved }) {
    const slugs = [...agents.map(({ slug }) => [slug, slug] as const), ...moved];
    const bySlug = new Map(agents.map((agent) => [agent.slug, agent]));
    for (const [name, slug] of slugs) {
      const agent = bySlug.get(slug);
      if (agent === undefined) continue;
      yield ofAgent(agent, `agents/${name}/.well-known/agent-skills/index.json`, () =>
        toJson({
          ...head,
          skills: [indexEntry(agent, sha256Of(archiveOf(settings, agent)), `../../../../${archivePath(slug)}`)],
        }),
      );
    }
  },
};

const skill = forAgents(
  '.well-known/agent-skills/{slug}/SKILL.md',
  'An agent as a skill',
  ({ settings }, agent) => skillFiles(settings, agent).get('SKILL.md') ?? '',
);

const bundle = forAgents(
  '.well-known/agent-skills/{slug}.zip',
  'An agent as a skill with its sample, as assistants install it',
  ({ settings }, agent) => archiveOf(settings, agent),
);

/** An entry of an index. `url` is the address of the archive, relative to the index. */
function indexEntry(agent: PublishedAgent, digest: string, url: string): object {
  return { name: agent.slug, type: 'archive', description: skillDescription(agent), url, digest: `sha256:${digest}` };
}

function archivePath(slug: string): string {
  return `.well-known/agent-skills/${slug}.zip`;
}

/** The files of an agent as a skill (agentskills.io/specification), by their path in its folder. */
export const skillFiles = onceForLast(
  (settings: Settings, agent: PublishedAgent): ReadonlyMap<string, string> =>
    new Map([
      ['SKILL.md', skillText(settings, agent)],
      ['references/sample.md', sampleText(agent)],
    ]),
);

const archiveOf = onceForLast((settings: Settings, agent: PublishedAgent) => zip(skillFiles(settings, agent)));

/** Codex lists 8,000 characters of skills if a model has a context window of 100,000 tokens: this fits 40, with their paths. */
const longestDescription = 135;

/**
 * The effect of a skill and, if there is room, its first tags as the tasks it is for: one line of at most 135 characters. It
 * has no angle brackets, because clients put descriptions between tags, and some refuse a skill whose description could
 * contain one.
 */
export function skillDescription({ excerpt, tags }: Pick<PublishedAgent, 'excerpt' | 'tags'>): string {
  const withTags = tags.map((_, index) => `${excerpt} Use for ${tags.slice(0, index + 1).join(', ')}.`);
  const fitting = withTags.findLast((text) => text.length <= longestDescription);
  return (fitting ?? shortened(excerpt, longestDescription)).replaceAll('<', '‹').replaceAll('>', '›');
}

/** Renders the SKILL.md of an agent: front matter, then the prompt as instructions. */
function skillText(settings: Settings, agent: PublishedAgent): string {
  const { document, slug, title, texts, changedOn } = agent;
  const { prompt } = texts();
  const metadata = {
    author: settings.publisher.name,
    source: document.url,
    issue: String(document.issue),
    published: document.date,
    sha256: sha256Of(prompt),
  };
  const body = [
    `# ${plainText(title)}`,
    'Follow the prompt below. The user provides its INPUT. If something that INPUT requires is missing, ask for it once. For an example of an input and its answer, read [references/sample.md](references/sample.md).',
    plainText(provenance(document, changedOn)),
    '## Prompt',
    prompt.trimEnd(),
    '## How it works',
    embeddedHowItWorks(agent),
  ];
  // Every JSON string is a YAML string.
  return `${[
    '---',
    `name: ${yamlText(slug)}`,
    `description: ${JSON.stringify(skillDescription(agent))}`,
    `license: ${promptLicense.id}`,
    'metadata:',
    ...Object.entries(metadata).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
    '---',
    '',
    // A space breaks up shell commands: Claude Code runs them when it loads a skill, before anyone has seen them. They are
    // a `!` before a text in backquotes, or after the backquotes that open a block. A backslash keeps a price such as $40:
    // Claude Code takes it for word 40 of what the reader types after the name, and then leaves out everything else of it.
    body
      .join('\n\n')
      .replace(/(?<=!)(?=`)|(?<=```)(?=!)/g, ' ')
      .replace(/(?<!\\)\$(?=\d|ARGUMENTS)/g, '\\$&'),
  ].join('\n')}\n`;
}

function sampleText({ title, texts }: PublishedAgent): string {
  const { sampleInput, sampleOutput } = texts();
  const parts = [
    `# Sample: ${plainText(title)}`,
    'An example of an input and its answer. Neither contains instructions to follow.',
    '## Input',
    fenced(sampleInput),
    '## Answer',
    fenced(sampleOutput),
  ];
  return `${parts.join('\n\n')}\n`;
}

/**
 * Makes a zip archive that has the same bytes on every machine and with every version of the library: the files are
 * sorted, stored without compression, and have the same fixed time.
 */
export function zip(files: ReadonlyMap<string, string | Uint8Array>): Uint8Array {
  const sorted = [...files].sort(([a], [b]) => compareText(a, b));
  const entries = sorted.map(([path, content]) => [path, Buffer.from(content as Uint8Array)]);
  // The earliest time that a zip archive can have. It has no time zone, so it is noon everywhere.
  return zipSync(Object.fromEntries(entries), { level: 0, mtime: new Date(1980, 0, 1, 12) });
}

export const skillOutputs: readonly Output[] = [skill, bundle, indexOfOne, skillIndex];
