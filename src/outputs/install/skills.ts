import { createHash } from 'node:crypto';
import { demoteHeadings, plainText } from '../../agent-text/markdown-text.ts';
import { provenance } from '../../agent-text/provenance.ts';
import { forAgents, json, markdown, single } from '../output.ts';
import { jsonParts } from '../shared/json-parts.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** The index of Agent Skills discovery 0.2.0, with the digest of every skill's file. */
export const index = single(
  '.well-known/agent-skills/index.json',
  json,
  'Every agent as a skill to install (Agent Skills discovery)',
  (site) =>
    jsonParts(
      { $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json' },
      'skills',
      site.agents.map((agent) => ({
        input: agent.fingerprint.whole,
        value: () => ({
          name: agent.slug,
          type: 'skill-md',
          description: agent.excerpt,
          url: `${agent.slug}/SKILL.md`,
          digest: `sha256:${createHash('sha256').update(skillOf(site, agent)).digest('hex')}`,
        }),
      })),
    ),
);

export const skill = forAgents('.well-known/agent-skills/{slug}/SKILL.md', markdown, 'An agent as a skill', skillOf);

/** Renders the SKILL.md of an agent: front matter, then the prompt as instructions. */
function skillOf(
  { settings }: Site,
  { document, slug, excerpt, title, prompt, howItWorks, changedOn }: PublishedAgent,
): string {
  return `${[
    '---',
    `name: ${slug}`,
    `description: ${JSON.stringify(excerpt)}`,
    'license: CC-BY-4.0',
    'metadata:',
    `  author: ${JSON.stringify(settings.publisher.name)}`,
    `  source: ${JSON.stringify(document.url)}`,
    '---',
    '',
    `# ${plainText(title)}`,
    '',
    'Follow the prompt below. The user provides its INPUT. If something that INPUT requires is missing, ask for it once.',
    '',
    plainText(provenance({ ...document, date: changedOn })),
    '',
    '## Prompt',
    '',
    prompt.trimEnd(),
    '',
    '## How it works',
    '',
    demoteHeadings(howItWorks, 3),
  ].join('\n')}\n`;
}
