import { createHash } from 'node:crypto';
import { embeddedMarkdown } from '../../agent-text/embedded-markdown.ts';
import { fenced, plainText } from '../../agent-text/markdown-text.ts';
import { provenance } from '../../agent-text/provenance.ts';
import { shortened } from '../../agent-text/shortened.ts';
import { promptLicense } from '../../schema/license.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** The files of an agent as a skill (agentskills.io/specification), by their path in its folder. */
export function skillFiles(site: Pick<Site, 'settings'>, agent: PublishedAgent): Map<string, string> {
  return new Map([
    ['SKILL.md', skillText(site, agent)],
    ['references/sample.md', sampleText(agent)],
  ]);
}

const maxDescription = 1024;

/** The most characters of a problem that a description quotes: clients load the descriptions of all skills. */
const longestProblem = 300;

/**
 * What a skill does and when to use it: one line of at most 1,024 characters. It has no angle brackets, because clients
 * put descriptions between tags, and some refuse a skill whose description could contain one.
 */
export function skillDescription({ excerpt, problem }: Pick<PublishedAgent, 'excerpt' | 'problem'>): string {
  const problemLine = shortened(problem.replace(/\s+/g, ' ').trim(), longestProblem);
  const whole = `${excerpt} Use when someone has a problem like this: ${problemLine}`;
  // Some clients count UTF-16 units, of which a code point has two at most.
  const fitting = whole.length <= maxDescription ? whole : shortened(whole, maxDescription / 2);
  return fitting.replaceAll('<', '‹').replaceAll('>', '›');
}

/** Renders the SKILL.md of an agent: front matter, then the prompt as instructions. */
export function skillText({ settings }: Pick<Site, 'settings'>, agent: PublishedAgent): string {
  const { document, slug, title, prompt, howItWorks, changedOn } = agent;
  const metadata = {
    author: settings.publisher.name,
    source: document.url,
    issue: String(document.issue),
    published: document.date,
    sha256: createHash('sha256').update(prompt).digest('hex'),
  };
  const body = [
    `# ${plainText(title)}`,
    'Follow the prompt below. The user provides its INPUT. If something that INPUT requires is missing, ask for it once. For an example of an input and its answer, read [references/sample.md](references/sample.md).',
    plainText(provenance(document, changedOn)),
    '## Prompt',
    prompt.trimEnd(),
    '## How it works',
    embeddedMarkdown(howItWorks, document),
  ];
  // Every JSON string is a YAML string.
  return `${[
    '---',
    `name: ${slug}`,
    `description: ${JSON.stringify(skillDescription(agent))}`,
    `license: ${promptLicense.id}`,
    'metadata:',
    ...Object.entries(metadata).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
    '---',
    '',
    withoutCommands(body.join('\n\n')),
  ].join('\n')}\n`;
}

/**
 * Breaks up shell commands by a space: Claude Code runs them when it loads a skill, before anyone has seen them. They
 * are a `!` before a text in backquotes, or after the backquotes that open a block.
 */
function withoutCommands(markdown: string): string {
  return markdown.replace(/!(?=`)/g, '! ').replaceAll('```!', '``` !');
}

function sampleText({ title, sampleInput, sampleOutput }: PublishedAgent): string {
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
