import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync } from 'node:fs';
import * as z from 'zod';
import { queueText } from '../content/schedule.ts';
import { largestDocument } from '../lib/bounded.ts';
import { explaining, OperationError, UsageError } from '../lib/errors.ts';
import { HttpFailed, type HttpRequest, httpRequest } from '../lib/http.ts';
import { compareText, escapeHtml, plural, printable, visible } from '../lib/text.ts';
import { sortDiagnostics } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import { prettyReport, summary } from '../schema/diagnostics/report.ts';
import type { Evals } from '../schema/evals.ts';
import { failureLines, scoreOf, scoreTable } from '../site/score-table.ts';
import { fenced as fencedText } from '../text/markdown-text.ts';
import { howToPublish, type Plan, type Skipped } from './plan.ts';
import type { Publication } from './publish.ts';

/**
 * Escapes text of strangers for Markdown on GitHub, also in the cell of a table: it stays on one line and makes no link,
 * tag, mention or further cell.
 */
export function markdownText(text: string): string {
  return escapeHtml(visible(text))
    .replace(/[\\`*_[\]{}()#+!|~:$]/g, '\\$&')
    .replace(/@(?=\w)/g, '@&#8203;')
    .replace(/(?<=\w)\.(?=\w)/g, '&#46;');
}

/** Lines in a code fence that none of them closes. */
export function fenced(text: string): string {
  return fencedText(printable(text));
}

/** Something that needs a person, as a GitHub issue. Its title identifies it. */
interface Alert {
  title: string;
  body: string;
}

/** The alerts of a plan: one for each skipped agent, and one if the queue is running low. */
export function alertsOf(plan: Plan): Alert[] {
  return [...plan.skipped.map(skippedAlert), ...(plan.queueLow ? [queueAlert(plan)] : [])];
}

function skippedAlert(skipped: Skipped): Alert {
  const { slug, date, errors } = skipped;
  const due = date === null ? 'Its date cannot be read' : `It was due on ${date}`;
  return {
    title: `Skipped: ${slug}`,
    body: [
      `\`agents/${slug}\` was not published. ${due}, and it has errors:`,
      fenced(prettyReport(errors, { color: false })),
      `${howToPublish(skipped)} All other agents due were published.`,
    ].join('\n\n'),
  };
}

function queueAlert(plan: Plan): Alert {
  const { next, freeDate } = plan;
  const coming =
    next === null
      ? 'No agent is scheduled after that.'
      : `Next is ${markdownText(next.title ?? next.slug)}, on ${next.date}.`;
  return {
    title: 'The queue is running low',
    body: `${queueText(plan)} ${coming} The first free date is ${freeDate}. Start an agent with \`npx --no daily-agent-catalog new\`.`,
  };
}

/** An answer of GitHub that is not a success. */
export class GitHubRefusal extends OperationError {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const openIssues = z.array(z.object({ title: z.string() }));
const created = z.object({ html_url: z.string() });
const refusal = z.object({ message: z.string().max(300).optional() }).catch({});
const perPage = 100;
/** A list with more pages is taken for one that never ends. */
const mostPages = 100;

/** The repository of a workflow at GitHub. Its methods throw OperationError if GitHub refuses or does not answer. */
export class GitHubRepository {
  /** owner/name */
  readonly name: string;
  /** The address of the REST API. */
  readonly api: string;
  readonly #token: string;

  /** Reads GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN. Throws UsageError if one is missing. */
  constructor({ GITHUB_API_URL, GITHUB_REPOSITORY = '', GITHUB_TOKEN }: NodeJS.ProcessEnv) {
    if (!GITHUB_TOKEN)
      throw new UsageError(
        'GITHUB_TOKEN is not set. In the workflow, give the job the permission `issues: write`, and pass it the token.',
      );
    if (!/^[\w.-]+\/[\w.-]+$/.test(GITHUB_REPOSITORY)) {
      throw new UsageError('GITHUB_REPOSITORY has to be owner/name; GitHub Actions sets it.');
    }
    this.name = GITHUB_REPOSITORY;
    this.api = (GITHUB_API_URL || 'https://api.github.com').replace(/\/+$/, '');
    this.#token = GITHUB_TOKEN;
  }

  /**
   * Opens a GitHub issue for each alert, unless an open issue already has its title. Returns the addresses of the new
   * issues.
   */
  async openIssues(alerts: readonly Alert[]): Promise<string[]> {
    if (alerts.length === 0) return [];
    const titles = new Set<string>();
    for await (const { title } of this.list('issues?state=open', openIssues)) titles.add(title);
    const opened: string[] = [];
    for (const alert of alerts.filter(({ title }) => !titles.has(title))) {
      opened.push((await this.call('issues', created, { method: 'POST', body: alert })).html_url);
    }
    return opened;
  }

  /** Reads all entries of a list, page by page. Throws OperationError if it does not end. */
  async *list<Entry>(path: string, shape: z.ZodType<Entry[]>) {
    for (let page = 1; page <= mostPages; page += 1) {
      const mark = path.includes('?') ? '&' : '?';
      const entries = await this.call(`${path}${mark}per_page=${perPage}&page=${page}`, shape);
      yield* entries;
      if (entries.length < perPage) return;
    }
    throw new OperationError(`GitHub's list ${path} has more than ${mostPages * perPage} entries, or never ends.`);
  }

  /** Calls the REST API of the repository, and returns the JSON of the answer. A refusal is a GitHubRefusal. */
  async call<Value>(
    path: string,
    shape: z.ZodType<Value>,
    { method = 'GET', body }: { method?: HttpRequest['method']; body?: object } = {},
  ): Promise<Value> {
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${this.#token}`,
      'x-github-api-version': '2022-11-28',
    };
    const limits = { signal: AbortSignal.timeout(30_000), maxBytes: largestDocument, redirects: 20 };
    const url = `${this.api}/repos/${this.name}/${path}`;
    try {
      const answer = await httpRequest(url, { method, body: body && JSON.stringify(body), headers, ...limits });
      if (answer.ok) return shape.parse(await answer.json());
      const { message } = refusal.parse(await answer.json().catch(() => null));
      const reason = message === undefined ? '.' : `: ${message.replace(/\.$/, '')}.`;
      throw new GitHubRefusal(answer.status, `GitHub answered ${answer.status} to ${method} ${url}${reason}`);
    } catch (error) {
      if (error instanceof z.ZodError)
        throw new OperationError(`GitHub answered ${method} ${url}, but not in the expected form.`);
      if (!(error instanceof HttpFailed)) throw error;
      throw new OperationError(`GitHub does not answer at ${this.api} (${error.message}).`);
    }
  }
}

/** The most bytes of summaries in one step. GitHub drops all of them if they exceed 1 MiB. */
export const maxSummaryBytes = 900 * 1024;

/**
 * Sets outputs of a step in GitHub Actions by appending them to the file in `GITHUB_OUTPUT`. Does nothing elsewhere.
 *
 * Each value is enclosed in random marks, so that no text of an agent can set another output.
 */
export function writeOutputs(environment: NodeJS.ProcessEnv, outputs: Readonly<Record<string, string>>): void {
  const file = environment.GITHUB_OUTPUT;
  if (file === undefined || file === '') return;
  const lines = Object.entries(outputs).map(([name, value]) => {
    const mark = `end-${randomUUID()}`;
    return `${name}<<${mark}\n${value}\n${mark}\n`;
  });
  explaining(`GITHUB_OUTPUT (${file}) cannot be written`, () => appendFileSync(file, lines.join('')));
}

/**
 * Adds blocks of Markdown to the summary of a step, the file in `GITHUB_STEP_SUMMARY`. Does nothing elsewhere.
 *
 * Blocks that would exceed GitHub's limit are left out, and the last line says how many.
 */
export function writeSummary(environment: NodeJS.ProcessEnv, blocks: readonly string[]): void {
  const file = environment.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  let room = maxSummaryBytes - (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const fitting: string[] = [];
  for (const block of blocks) {
    room -= Buffer.byteLength(block) + 1;
    if (room < 0) break;
    fitting.push(block);
  }
  const left = blocks.length - fitting.length;
  if (left > 0) fitting.push(`\n…and ${left} more, which \`npx --no daily-agent-catalog validate\` shows.`);
  const text = fitting.map((block) => `${block}\n`).join('');
  explaining(`GITHUB_STEP_SUMMARY (${file}) cannot be written`, () => appendFileSync(file, text));
}

/** Everything that `catalog validate` found as blocks of Markdown, errors first. */
export function validationSummary(diagnostics: readonly Diagnostic[], checked: number): string[] {
  if (diagnostics.length === 0) return ['## Validation', '', `${plural(checked, 'agent')} checked, no problems.`];
  // Errors come before warnings.
  const ordered = sortDiagnostics(diagnostics).sort((a, b) => compareText(a.severity, b.severity));
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
  const failed = failureLines(evals);
  return [
    `| Model | ${cases.join(' | ')} |`,
    `|---${'|---'.repeat(cases.length)}|`,
    ...rows.map(({ model, answers }) => `| ${markdownText(model)} | ${answers.map(scoreOf).join(' | ')} |`),
    ...(failed.length === 0 ? [] : ['', ...failed.map((line) => `- Failed: ${markdownText(line)}`)]),
  ];
}

/** The result of `catalog publish`, as blocks of Markdown. */
export function publicationSummary(published: Publication): string[] {
  const { today, releases, skipped, next, queueLow } = published;
  return [
    `## Publication on ${today}`,
    '',
    releases.length === 0 ? 'No new agent is due.' : 'Published:',
    ...releases.map(({ issue, title, slug }) => `- No. ${issue}: ${markdownText(title)} (${markdownText(slug)})`),
    ...skipped.flatMap((agent) => [
      '',
      `Skipped: **${markdownText(agent.slug)}**. ${howToPublish(agent)}`,
      '',
      fenced(prettyReport(agent.errors, { color: false })),
    ]),
    ...published.notices.flatMap((notice) => ['', `**Warning:** ${markdownText(notice)}`]),
    '',
    next === null
      ? 'No agent is scheduled next.'
      : `Next: No. ${next.issue} on ${next.date}, ${markdownText(next.title ?? next.slug)}.`,
    ...(queueLow ? ['', `**The queue is running low.** ${queueText(published)}`] : []),
  ];
}
