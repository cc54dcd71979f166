import type { Release } from './plan.ts';

/** The message of the commit that writes numbers: the issues in its first line, a line for each below. */
export function commitMessage(releases: readonly Release[]): string {
  const [first] = releases;
  const numbers = new Intl.ListFormat('en').format(releases.map(({ issue }) => String(issue)));
  const subject = releases.length === 1 ? `Publish No. ${numbers}: ${first?.title}` : `Publish No. ${numbers}`;
  const lines = releases.map(({ issue, date, slug, title }) => `- No. ${issue}, ${date}: ${title} (${slug})`);
  return `${subject}\n\n${lines.join('\n')}\n`;
}
