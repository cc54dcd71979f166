import { installMarkdown, installWays } from '../../agent-text/install-ways.ts';
import { plainText } from '../../agent-text/markdown-text.ts';
import { contributedPrompts } from '../../agent-text/provenance.ts';
import { compareText } from '../../compare.ts';
import { promptLicense } from '../../schema/license.ts';
import type { Site } from '../site.ts';
import { installSource } from './install-source.ts';

/** The texts at the root of the branch `install`, for people who open it on GitHub. */

/** How many agents the README lists: the newest ones. */
const listed = 50;

/** Shows how to install from the branch with each assistant. */
export function treeReadme({ settings, agents }: Site): string {
  const ways = installWays(installSource({ repository: 'https://github.com/OWNER/REPOSITORY', ...settings }));
  const example = agents[0]?.document ?? { slug: 'SLUG', promptUrl: settings.baseUrl };
  const parts = [
    `# ${plainText(settings.title)}`,
    plainText(settings.description),
    `Every agent of ${settings.baseUrl} as a plugin and as a skill. This branch is written by a program: change the agents on the default branch instead.`,
    contributedPrompts,
    ...(settings.repository === undefined ? ['Replace `OWNER/REPOSITORY` with the name of this repository.'] : []),
    '## Install all agents',
    installMarkdown(ways(null)),
    '## Install one agent',
    `Each agent can be installed like \`${example.slug}\`:`,
    installMarkdown(ways({ slug: example.slug, promptUrl: example.promptUrl })),
    '## Agents',
    agents
      .slice(0, listed)
      .map(({ document }) => `- [${plainText(document.title)}](${document.url}): ${plainText(document.excerpt)}`)
      .join('\n'),
    ...(agents.length > listed ? [`${agents.length - listed} more are at ${settings.baseUrl}/archive.`] : []),
    '## License',
    `The agents are under [${promptLicense.name}](${promptLicense.url}): credit ${plainText(settings.publisher.name)} when you reuse one.`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Says which license the agents have, and what it asks for. */
export function treeLicense({ publisher }: Site['settings']): string {
  return `Everything in this branch is published under the Creative Commons Attribution
4.0 International license (${promptLicense.name}), SPDX identifier ${promptLicense.id}.

You may copy, change and redistribute it, also commercially, if you name
${publisher.name} (${publisher.url}), link to the license, and say what you
changed.

The license: ${promptLicense.url}
The full text: ${promptLicense.url}legalcode
`;
}

/** Lists when each plugin last changed, the newest change first. */
export function treeChangelog({ agents, plugins }: Site): string {
  const changes = [...agents].sort((a, b) => compareText(b.changedOn, a.changedOn) || b.issue - a.issue);
  const lines = changes.map(
    (agent) =>
      `- ${agent.changedOn}: ${plainText(agent.title)} (\`${agent.slug}\`, No. ${agent.issue}), version ${plugins.of(agent)}`,
  );
  return `# Changelog\n\nThe last change of each plugin, newest first.\n\n${lines.join('\n')}\n`;
}
