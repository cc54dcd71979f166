import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Calendar } from '../../catalog/consistency/calendar-rules.ts';
import { pathOf } from '../../catalog/parse/files.ts';
import type { ParsedFolder } from '../../catalog/parse/parse.ts';
import { replaceFile } from '../../catalog/replace-file.ts';
import { nearest } from '../../diagnostics/suggestions.ts';
import { OperationError, systemReason, UsageError } from '../../errors.ts';
import { slug as slugSchema } from '../../schema/fields.ts';
import { visible } from '../../text-safety/printable.ts';
import { demand } from '../answer-checks.ts';
import { freeSlug } from './answers.ts';
import { withFormerSlug } from './former-slugs.ts';

/** The result of renaming a folder. */
export interface Renamed {
  from: string;
  to: string;
  /** The number of the agent, whose old address redirects to the new one; null if it is not published. */
  issue: number | null;
  /** Whether the agent is withdrawn, so that neither address has a page. */
  withdrawn: boolean;
}

/**
 * Renames the folder of an agent in the catalog `cwd`. If the agent is published, its old name is added to the end of
 * `formerSlugs`.
 *
 * Throws UsageError if `to` is not a slug, and OperationError if there is no agent `from`, if `to` belongs to another
 * agent, or if a file cannot be written. The catalog is then unchanged.
 */
export function renameAgent(cwd: string, calendar: Calendar, from: string, to: string): Renamed {
  const folder = calendar.folders.find(({ slug }) => slug === from);
  if (folder === undefined) throw unknownAgent(from, calendar);
  demand(slugSchema, 'new', to);
  if (from === to) throw new UsageError(`The agent is already called ${to}.`);
  freeSlug(to, { ...calendar, folders: calendar.folders.filter((other) => other !== folder) });
  const { issue, withdrawn } = folder.schedule;
  const renamed = { from, to, issue, withdrawn };
  const text = issue === null ? null : withOldName(folder, from, to);

  const [old, wanted] = [join(cwd, pathOf(from, '')), join(cwd, pathOf(to, ''))];
  if (exists(wanted) && !sameFile(old, wanted)) {
    throw new OperationError(`${pathOf(to, '')} already exists; choose another name, or remove it first.`);
  }
  try {
    renameSync(old, wanted);
    if (text === null) return renamed;
    try {
      replaceFile(join(wanted, 'agent.md'), text);
    } catch (error) {
      renameSync(wanted, old);
      throw error;
    }
  } catch (error) {
    const reason = systemReason((error as NodeJS.ErrnoException).code ?? 'unknown');
    throw new OperationError(`${pathOf(from, '')} cannot be renamed: ${reason}.`, { cause: error });
  }
  return renamed;
}

function unknownAgent(slug: string, { folders, reserved }: Calendar): OperationError {
  const moved = folders.find(({ schedule }) => schedule.formerSlugs.includes(slug));
  const slip = nearest(
    slug,
    folders.map((folder) => folder.slug),
  );
  const advice =
    moved !== undefined
      ? ` It is now called ${moved.slug}.`
      : reserved.some((published) => published.slug === slug)
        ? ' It was published and then deleted. Restore it first; catalog validate says how.'
        : slip === undefined
          ? ''
          : ` Did you mean ${slip}?`;
  return new OperationError(`There is no agent ${visible(slug)} in agents/.${advice}`);
}

/** Returns the agent.md of a published agent with its old name in `formerSlugs`. */
function withOldName({ texts, schedule }: ParsedFolder, from: string, to: string): string {
  const text = texts.get('agent.md');
  const changed = text === undefined ? null : withFormerSlug(text, from, to);
  if (changed !== null) return changed;
  const former = [...schedule.formerSlugs.filter((slug) => slug !== to), from].join(', ');
  throw new OperationError(
    `Cannot add the line \`formerSlugs: [${former}]\` to ${pathOf(from, 'agent.md')}: write its front matter with one \`key: value\` per line. Nothing has changed.`,
  );
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether two paths are the same folder. On some systems, this is the case if they differ only in case. */
function sameFile(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}
