import * as z from 'zod';
import { OperationError, UsageError } from '../errors.ts';
import { largestDocument, parseBoundedJson, readBounded } from '../text-safety/bounded-input.ts';
import type { Alert } from './alerts.ts';

/** The repository in which GitHub issues are opened. */
export interface IssueTracker {
  /** The address of the REST API. */
  api: string;
  /** owner/name */
  repository: string;
  token: string;
}

/** Reads GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN. Throws UsageError if one is missing. */
export function issueTracker(environment: NodeJS.ProcessEnv): IssueTracker {
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN } = environment;
  if (!GITHUB_TOKEN)
    throw new UsageError(
      'GITHUB_TOKEN is not set. In the workflow, give the job the permission `issues: write`, and pass it the token.',
    );
  if (!/^[\w.-]+\/[\w.-]+$/.test(GITHUB_REPOSITORY ?? '')) {
    throw new UsageError('GITHUB_REPOSITORY has to be owner/name; GitHub Actions sets it.');
  }
  return {
    api: (GITHUB_API_URL || 'https://api.github.com').replace(/\/+$/, ''),
    repository: GITHUB_REPOSITORY ?? '',
    token: GITHUB_TOKEN,
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
const perPage = 100;

/**
 * Opens a GitHub issue for each alert, unless an open issue already has its title. Returns the addresses of the new
 * issues.
 *
 * Throws OperationError if GitHub refuses or does not answer.
 */
export async function openIssuesFor(alerts: readonly Alert[], tracker: IssueTracker): Promise<string[]> {
  if (alerts.length === 0) return [];
  const titles = await openTitles(tracker);
  const opened: string[] = [];
  for (const alert of alerts.filter(({ title }) => !titles.has(title))) {
    opened.push(
      created.parse(await callApi(tracker, 'issues', { method: 'POST', body: JSON.stringify(alert) })).html_url,
    );
  }
  return opened;
}

async function openTitles(tracker: IssueTracker): Promise<Set<string>> {
  const titles = new Set<string>();
  for (let page = 1; ; page += 1) {
    const issues = openIssues.parse(await callApi(tracker, `issues?state=open&per_page=${perPage}&page=${page}`));
    for (const { title } of issues) titles.add(title);
    if (issues.length < perPage) return titles;
  }
}

/** Calls the REST API of the repository, and returns the JSON of the answer. Throws OperationError as above. */
export async function callApi(
  { api, repository, token }: IssueTracker,
  path: string,
  init: RequestInit = {},
): Promise<unknown> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'user-agent': 'daily-agent-catalog',
    'x-github-api-version': '2022-11-28',
  };
  const url = `${api}/repos/${repository}/${path}`;
  try {
    const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(30_000) });
    const body = response.ok ? await readBounded(response.body, largestDocument) : Buffer.alloc(0);
    if (body === null) throw new OperationError(`GitHub sent more than ${largestDocument} bytes.`);
    if (response.ok) return parseBoundedJson(body.toString('utf8'));
    throw new GitHubRefusal(response.status, `GitHub answered ${response.status} to ${init.method ?? 'GET'} ${url}.`);
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError(`GitHub does not answer at ${api} (${(error as Error).message}).`);
  }
}
