import { type Diagnostic, sortDiagnostics } from '../diagnostics/diagnostic.ts';
import { plural, prettyReport, summary } from '../diagnostics/report.ts';
import { howToFree } from '../publish/plan.ts';
import type { Published } from '../publish/publish.ts';
import { fenced, markdownText } from './markdown.ts';

/** What `catalog validate` found, as blocks of Markdown: all of it, errors first. */
export function validationSummary(diagnostics: readonly Diagnostic[], checked: number): string[] {
  if (diagnostics.length === 0) return ['## Validation', '', `${plural(checked, 'agent')} checked, nothing is wrong.`];
  const sorted = sortDiagnostics(diagnostics);
  const ordered = [
    ...sorted.filter(({ severity }) => severity === 'error'),
    ...sorted.filter(({ severity }) => severity === 'warning'),
  ];
  return [
    '## Validation',
    '',
    `${summary(diagnostics)} in ${plural(checked, 'agent')}.`,
    '',
    '| | Where | What is wrong | How to mend it |',
    '|---|---|---|---|',
    ...ordered.map(
      ({ severity, file, line, column, code, message, hint }) =>
        `| ${severity} | ${markdownText(`${file}:${line}:${column}`)} | ${markdownText(message)} (${markdownText(code)}) | ${markdownText(hint)} |`,
    ),
  ];
}

/** What `catalog publish` did, as blocks of Markdown. */
export function publicationSummary(published: Published): string[] {
  const { today, releases, heldBack, next, queueDays, queueLow } = published;
  return [
    `## Publication on ${today}`,
    '',
    releases.length === 0 ? 'Nothing new is due.' : 'Published:',
    ...releases.map(({ issue, title, slug }) => `- No. ${issue}: ${markdownText(title)} (${markdownText(slug)})`),
    ...heldBack.flatMap(({ slug, errors }) => [
      '',
      `Held back: **${markdownText(slug)}**. ${howToFree(published)}`,
      '',
      fenced(prettyReport(errors, { color: false })),
    ]),
    ...published.notices.flatMap((notice) => ['', `**Warning:** ${markdownText(notice)}`]),
    '',
    next === null
      ? 'Nothing comes next.'
      : `Next: No. ${next.issue} on ${next.date}, ${markdownText(next.title ?? next.slug)}.`,
    ...(queueLow
      ? [
          '',
          `**The queue runs dry:** ${plural(queueDays, 'day')} from tomorrow on ${queueDays === 1 ? 'is' : 'are'} filled.`,
        ]
      : []),
  ];
}
