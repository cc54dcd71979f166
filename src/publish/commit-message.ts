import type { Release } from './plan.ts';

/** The commit message for new numbers: the numbers in the first line, then a line for each agent. */
export function commitMessage(releases: readonly Release[]): string {
  const [first] = releases;
  const numbers = new Intl.ListFormat('en').format(releases.map(({ issue }) => String(issue)));
  const subject =
    releases.length === 1 ? `Publish No. ${numbers}: ${forMessage(first?.title ?? '')}` : `Publish No. ${numbers}`;
  const lines = releases.map(
    ({ issue, date, slug, title }) => `- No. ${issue}, ${date}: ${forMessage(title)} (${slug})`,
  );
  return `${subject}\n\n${lines.join('\n')}\n`;
}

/**
 * A contributor's text as one line without side effects: it cannot make a CI service skip a run, close or link a GitHub
 * issue, notify a person, or become a link.
 */
function forMessage(text: string): string {
  return (
    text
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, ' ')
      .trim()
      // [skip ci], [no ci], [skip actions], ***NO_CI*** and the marks of other services.
      .replaceAll('[', '(')
      .replaceAll(']', ')')
      .replace(/\*{2,}/g, '*')
      // skip-checks: true, Co-authored-by: and other trailers.
      .replace(/^([\w-]+):/, '$1 -')
      // #1, owner/repository#1, #close (Jira), @name, ~label, !1, $1, %1 and &1 (GitLab), GH-1, https://…
      .replace(/([#@~])(?=[\p{L}\p{N}_])/gu, '$1 ')
      .replace(/([!$%&])(?=\d)/g, '$1 ')
      .replace(/\b(GH|gh|Gh|gH)-(?=\d)/g, '$1 ')
      .replaceAll('://', ': //')
  );
}
