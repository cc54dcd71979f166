import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valuesIn } from '../content/parse/front-matter.ts';
import { pathOf } from '../content/read.ts';
import { explainSystemError, OperationError, succeeds } from '../lib/errors.ts';
import { replaceFiles } from '../lib/files.ts';
import { locationsInFrontMatter } from '../schema/diagnostics/yaml-location.ts';
import type { Release } from './plan.ts';

/**
 * The bytes of an agent.md with the line `issue: <number>` added below its date; all other bytes stay the same.
 *
 * Null if the line cannot be added: the front matter is not a block of `key: value` lines, or already has `issue`.
 */
export function withIssueLine(bytes: Buffer, issue: number): Buffer | null {
  const { line } = locationsInFrontMatter(bytes.toString('utf8'))(['date']);
  const end = endOfLine(bytes, line);
  const result = Buffer.concat([bytes.subarray(0, end), Buffer.from(`issue: ${issue}\n`), bytes.subarray(end)]);
  const before = valuesIn(bytes.toString('utf8'));
  const after = valuesIn(result.toString('utf8'));
  return before !== null && JSON.stringify(after) === JSON.stringify(inserted(before, issue)) ? result : null;
}

const lineFeed = 0x0a;

/** The offset after the newline that ends a line, counted from 1. */
function endOfLine(bytes: Buffer, line: number): number {
  let end = 0;
  for (let count = 0; count < line; count += 1) {
    const next = bytes.indexOf(lineFeed, end);
    if (next === -1) return bytes.length;
    end = next + 1;
  }
  return end;
}

/** The keys of front matter in their order, with `issue` after `date`. */
function inserted(data: Record<string, unknown>, issue: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).flatMap((entry) => (entry[0] === 'date' ? [entry, ['issue', issue]] : [entry])),
  );
}

/**
 * Writes the `issue` lines of agents into their agent.md below `cwd`: all of them, or none. Returns the paths of the changed
 * files from there, the message for their commit, and `undo`, which restores their bytes.
 *
 * Throws OperationError if a file cannot take the line; then nothing has changed.
 */
export function writeNumbers(cwd: string, releases: readonly Release[]) {
  const changes = releases.map(({ slug, issue }) => {
    const file = pathOf(slug, 'agent.md');
    const before = readFileSync(join(cwd, file));
    const after = withIssueLine(before, issue);
    if (after === null) {
      throw new OperationError(
        `Cannot add \`issue: ${issue}\` to ${file}: write its front matter with one \`key: value\` per line and without \`issue\`.`,
      );
    }
    return { file, before, after };
  });
  const write = (text: 'before' | 'after') =>
    replaceFiles(changes.map((change) => [join(cwd, change.file), change[text]]));
  const undo = () => write('before');
  try {
    write('after');
  } catch (error) {
    // Before the first file is replaced, all are written next to them. What failed may fail again.
    const isSame = (error as NodeJS.ErrnoException).syscall !== 'rename' || succeeds(undo);
    const outcome = isSame ? 'Nothing has changed.' : 'Check with git diff what has changed.';
    throw new OperationError(
      `Cannot write the numbers. ${explainSystemError(error) ?? (error as Error).message} ${outcome}`,
    );
  }
  return { files: changes.map(({ file }) => file), message: commitMessage(releases), undo };
}

/** The commit message for new numbers: the numbers in the first line, then a line for each agent. */
function commitMessage(releases: readonly Release[]): string {
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
