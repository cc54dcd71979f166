import * as z from 'zod';
import { OperationError } from '../../errors.ts';
import { callApi, GitHubRefusal, type IssueTracker } from '../issues.ts';
import { fenced, markdownText } from '../markdown.ts';
import type { Intake } from './proposal.ts';

/** The GitHub issue that a form was submitted as. */
export interface Submission {
  number: number;
  body: string;
  /** The branch that a pull request is merged into. */
  base: string;
}

/**
 * Whether the draft is on its branch: `pushed` now, or not, because somebody else `changed` the branch before or because
 * the push `failed`.
 */
export type Push = 'pushed' | 'changed' | 'failed';

/** The first line of our comment, which identifies it. */
const mark = '<!-- daily-agent-catalog: intake -->';

/** The line of a pull request that ends our text. Below it are the boxes that reviewers tick. */
const end = '<!-- daily-agent-catalog: the workflow writes what is above -->';

const pulls = z.array(
  z.object({ number: z.int(), html_url: z.url({ protocol: /^https?$/ }), body: z.string().nullish() }),
);
const comments = z.array(
  z.object({ id: z.int(), body: z.string().nullish(), user: z.object({ type: z.string() }).nullable() }),
);
const perPage = 100;

/**
 * Answers a proposal in its GitHub issue, in one comment that is updated after each edit. If its draft was pushed, opens a
 * pull request first, or brings the title and our part of the open one up to date. `checklist` is the text for reviewers.
 *
 * Throws OperationError if GitHub refuses or does not answer.
 */
export async function reply(
  submission: Submission,
  intake: Intake,
  push: Push,
  tracker: IssueTracker,
  checklist: string,
): Promise<void> {
  const pull = await pullRequestOf(submission, intake, push, tracker, checklist);
  const body = `${mark}\n${answer(intake, push, pull)}`;
  const own = await ownComment(submission, tracker);
  const path = own === null ? `issues/${submission.number}/comments` : `issues/comments/${own}`;
  await callApi(tracker, path, { method: own === null ? 'POST' : 'PATCH', body: JSON.stringify({ body }) });
}

/** The address of the pull request; null if there is none; `refused` if GitHub does not let workflows open any. */
async function pullRequestOf(
  submission: Submission,
  { draft, advice, notes }: Intake,
  push: Push,
  tracker: IssueTracker,
  checklist: string,
): Promise<string | 'refused' | null> {
  const [owner] = tracker.repository.split('/');
  // As in intake.yml.
  const head = `intake/${submission.number}`;
  const [open] = pulls.parse(await callApi(tracker, `pulls?state=open&head=${owner}:${encodeURIComponent(head)}`));
  if (draft === null || push !== 'pushed') return open?.html_url ?? null;
  const title = `Draft: ${draft.title}`;
  const text = pullText(submission.number, draft.slug, advice, notes);
  if (open !== undefined) {
    const at = open.body?.lastIndexOf(end) ?? -1;
    const body = at === -1 ? open.body : `${text}\n\n${open.body?.slice(at)}`;
    await callApi(tracker, `pulls/${open.number}`, { method: 'PATCH', body: JSON.stringify({ title, body }) });
    return open.html_url;
  }
  const body = `${text}\n\n${end}\n${checklist}`;
  try {
    const made = await callApi(tracker, 'pulls', {
      method: 'POST',
      body: JSON.stringify({ title, head, base: submission.base, body }),
    });
    return pulls.element.parse(made).html_url;
  } catch (error) {
    if (error instanceof GitHubRefusal && error.status === 403) return 'refused';
    throw error;
  }
}

async function ownComment({ number }: Submission, tracker: IssueTracker): Promise<number | null> {
  for (let page = 1; ; page += 1) {
    const found = comments.parse(await callApi(tracker, `issues/${number}/comments?per_page=${perPage}&page=${page}`));
    // Anyone can write a comment that starts with the mark, and it must not be overwritten.
    const own = found.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(mark) === true);
    if (own !== undefined) return own.id;
    if (found.length < perPage) return null;
  }
}

/** What the author reads. */
function answer({ draft, problems, advice }: Intake, push: Push, pull: string | null): string {
  const edit = 'To change your answers, choose **Edit** in the menu (⋯) at the top right of your text.';
  if (draft === null) {
    return [
      'Thank you for proposing an agent. It cannot become a draft yet. Please fix this:',
      list(problems),
      ...(advice.length === 0 ? [] : ['This would make it better:', list(advice)]),
      `${edit} Your form is then checked again.${pull === null ? '' : ' Until then, the pull request keeps your previous answers.'}`,
    ].join('\n\n');
  }
  if (push === 'changed') {
    return `An editor has already changed the draft in ${pull ?? 'its branch'}, so your edit was not copied there. Please write a comment that says what you changed.`;
  }
  if (push === 'failed') {
    return 'Thank you for proposing an agent. Your answers are complete, but the draft could not be saved. You do not have to do anything: the maintainers can see why in the log of the workflow “Intake”.';
  }
  const where =
    pull === 'refused'
      ? 'A draft of your agent is ready, but workflows may not open pull requests in this repository. A maintainer can allow it under Settings → Actions → General, or open the pull request from the branch.'
      : `A draft of your agent is in ${pull}. An editor now adds the tags, the steps and the walkthrough, checks the date, and reviews it.`;
  return [
    `Thank you for proposing an agent. ${where}`,
    ...(advice.length === 0
      ? ['Your answers follow all rules that a program can check.']
      : ['You can already make it better:', list(advice)]),
    `${edit} The draft then changes too, until an editor starts to work on it.`,
  ].join('\n\n');
}

/** The text of the pull request, for editors. */
function pullText(number: number, slug: string, advice: readonly string[], notes: string): string {
  return [
    `The draft of \`agents/${slug}\`, proposed in #${number} and written by the workflow “Intake”. Closes #${number}.`,
    'The form does not ask for everything. Replace the placeholders in `agent.md`: `steps`, `demo`, `tags`, and the text below the front matter. Then run `npx catalog validate` and remove `draft: true`. Once you push to this branch, further edits of the GitHub issue do not change it.',
    ...(advice.length === 0 ? [] : ['`catalog validate` reports:', list(advice)]),
    ...(notes === '' ? [] : ['The author writes:', fenced(notes)]),
  ].join('\n\n');
}

function list(sentences: readonly string[]): string {
  return sentences.map((sentence) => `- ${markdownText(sentence)}`).join('\n');
}

/** Reads the event that started the workflow. Throws OperationError if it is not about a GitHub issue. */
export function submissionOf(event: unknown): Submission {
  const parsed = z
    .object({
      issue: z.object({ number: z.int().positive(), body: z.string().nullish() }),
      repository: z.object({ default_branch: z.string().min(1) }),
    })
    .safeParse(event);
  if (!parsed.success) throw new OperationError('The event in GITHUB_EVENT_PATH is not about a GitHub issue.');
  const { issue, repository } = parsed.data;
  return { number: issue.number, body: issue.body ?? '', base: repository.default_branch };
}
