import type { Release } from './plan.ts';

/** The message of the commit that writes numbers: the numbers in its first line, a line for each agent below. */
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
 * A contributor's text as one line that commands nothing: no CI service skips a run for it, no forge closes or links a
 * GitHub issue, notifies a person or follows an address.
 */
export function forMessage(text: string): string {
  return (
    text
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, ' ')
      .trim()
      // [skip ci], [no ci], [skip actions], ***NO_CI*** and what other services read.
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
