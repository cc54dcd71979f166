import { forAgents, single } from '../output.ts';
import { jsonParts } from '../shared/json-parts.ts';
import { skillDescription, skillFiles, skillText } from './skill-files.ts';
import { zip } from './zip.ts';

/** The index of Agent Skills discovery 0.2.0, with the digest of every skill's archive. */
export const index = single(
  '.well-known/agent-skills/index.json',
  'Every agent as a skill to install (Agent Skills discovery)',
  (site, digest) =>
    jsonParts(
      { $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json' },
      'skills',
      site.agents.map((agent) => ({
        input: agent.fingerprint.whole,
        value: () => ({
          name: agent.slug,
          type: 'archive',
          description: skillDescription(agent),
          url: `${agent.slug}.zip`,
          digest: `sha256:${digest(archivePath(agent.slug))}`,
        }),
      })),
    ),
);

export const skill = forAgents('.well-known/agent-skills/{slug}/SKILL.md', 'An agent as a skill', skillText);

export const bundle = forAgents(
  '.well-known/agent-skills/{slug}.zip',
  'An agent as a skill with its sample, as assistants install it',
  (site, agent) => zip(skillFiles(site, agent)),
);

function archivePath(slug: string): string {
  return `.well-known/agent-skills/${slug}.zip`;
}
