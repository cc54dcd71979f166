import { createHash } from 'node:crypto';
import { demoteHeadings, plainText } from '../../agent-text/markdown-text.ts';
import { provenance } from '../../agent-text/provenance.ts';
import { toJson } from '../../schema/documents.ts';
import { json, type Output, single } from '../output.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** Agent Skills discovery 0.2.0: the index names every skill with the digest of its file's bytes. */
export const index = single(
  '.well-known/agent-skills/index.json',
  json,
  'Every agent as a skill to install (Agent Skills discovery)',
  (site) =>
    toJson({
      $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
      skills: site.agents.map((agent) => ({
        name: agent.slug,
        type: 'skill-md',
        description: agent.excerpt,
        url: `${agent.slug}/SKILL.md`,
        digest: `sha256:${createHash('sha256').update(skillOf(site, agent)).digest('hex')}`,
      })),
    }),
);

export const skill: Output = {
  path: '.well-known/agent-skills/{slug}/SKILL.md',
  type: 'text/markdown; charset=utf-8',
  purpose: 'An agent as a skill',
  *files(site) {
    for (const agent of site.agents) {
      yield {
        path: `.well-known/agent-skills/${agent.slug}/SKILL.md`,
        agent: agent.slug,
        render: () => skillOf(site, agent),
      };
    }
  },
};

/** The SKILL.md of an agent: front matter with name and description, then the prompt as instructions. */
export function skillOf(
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
    'Follow the prompt below. What the user gives is its INPUT; ask once for whatever INPUT requires and is missing.',
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
