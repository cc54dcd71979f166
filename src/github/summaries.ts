import { queueText } from '../catalog/schedule.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { prettyReport, summary } from '../diagnostics/report.ts';
import { sortDiagnostics } from '../diagnostics/sort.ts';
import { scoreOf, scoreTable } from '../evals/score-table.ts';
import { plural } from '../plural.ts';
import { howToPublish } from '../publish/plan.ts';
import type { Publication } from '../publish/publish.ts';
import type { Evals } from '../schema/graded.ts';
import { fenced, markdownText } from './markdown.ts';

/** Everything that `catalog validate` found as blocks of Markdown, errors first. */
export function validationSummary(diagnostics: readonly Diagnostic[], checked: number): string[] {
  if (diagnostics.length === 0) return ['## Validation', '', `${plural(checked, 'agent')} checked, no problems.`];
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
    '| | Location | Problem | How to fix it |',
    '|---|---|---|---|',
    ...ordered.map(
      ({ severity, file, line, column, code, message, hint }) =>
        `| ${severity} | ${markdownText(`${file}:${line}:${column}`)} | ${markdownText(message)} (${markdownText(code)}) | ${markdownText(hint)} |`,
    ),
  ];
}

/** The scores of recorded answers as blocks of Markdown: a table for each agent, then the checks that failed. */
export function evalSummary(agents: readonly { slug: string; evals: Evals }[]): string[] {
  const shown = agents.filter(({ evals }) => evals.answers.length > 0);
  if (shown.length === 0) return ['## Recorded answers', '', 'No answers are recorded.'];
  return ['## Recorded answers', ...shown.flatMap(({ slug, evals }) => ['', `### ${slug}`, '', ...scoresOf(evals)])];
}

function scoresOf(evals: Evals): string[] {
  const { cases, rows } = scoreTable(evals);
  const failed = evals.answers.flatMap(({ case: name, recorded, results }) =>
    results
      .filter(({ failure }) => failure !== null)
      .map(({ kind, value, failure }) => markdownText(`${recorded.model}, ${name}, ${kind} ${value}: ${failure}`)),
  );
  return [
    `| Model | ${cases.join(' | ')} |`,
    `|---${'|---'.repeat(cases.length)}|`,
    ...rows.map(({ model, answers }) => `| ${markdownText(model)} | ${answers.map(scoreOf).join(' | ')} |`),
    ...(failed.length === 0 ? [] : ['', ...failed.map((line) => `- Failed: ${line}`)]),
  ];
}

/** What `catalog publish` did, as blocks of Markdown. */
export function publicationSummary(published: Publication): string[] {
  const { today, releases, skipped, next, queueLow } = published;
  return [
    `## Publication on ${today}`,
    '',
    releases.length === 0 ? 'No new agent is due.' : 'Published:',
    ...releases.map(({ issue, title, slug }) => `- No. ${issue}: ${markdownText(title)} (${markdownText(slug)})`),
    ...skipped.flatMap(({ slug, errors }) => [
      '',
      `Skipped: **${markdownText(slug)}**. ${howToPublish(published)}`,
      '',
      fenced(prettyReport(errors, { color: false })),
    ]),
    ...published.notices.flatMap((notice) => ['', `**Warning:** ${markdownText(notice)}`]),
    '',
    next === null
      ? 'No agent is scheduled next.'
      : `Next: No. ${next.issue} on ${next.date}, ${markdownText(next.title ?? next.slug)}.`,
    ...(queueLow ? ['', `**The queue is running low.** ${queueText(published)}`] : []),
  ];
}
