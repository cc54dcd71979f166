import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Calendar } from '../../catalog/consistency/calendar-rules.ts';
import { pathOf } from '../../catalog/parse/files.ts';
import type { ParsedFolder } from '../../catalog/parse/parse.ts';
import { replaceFile } from '../../catalog/replace-file.ts';
import { OperationError, systemReason, UsageError } from '../../errors.ts';
import { slug as slugSchema } from '../../schema/fields.ts';
import { nearest } from '../../schema/suggestions.ts';
import { visible } from '../../text-safety/printable.ts';
import { demand } from '../answer-checks.ts';
import { freeSlug } from './answers.ts';
import { withFormerSlug } from './former-slugs.ts';

/** What became of a folder. */
export interface Renamed {
  from: string;
  to: string;
  /** The number of a published agent, whose old address now leads to the new one; null where it has none. */
  issue: number | null;
}

/**
 * Renames the folder of an agent in the catalog `cwd`. A published one gets its old name as the last of `formerSlugs`.
 *
 * Throws UsageError where `to` is no slug, OperationError where there is no agent `from`, where `to` belongs to another
 * agent, or where the disk refuses. Nothing is changed then.
 */
export function renameAgent(cwd: string, calendar: Calendar, from: string, to: string): Renamed {
  const folder = calendar.folders.find(({ slug }) => slug === from);
  if (folder === undefined) throw unknownAgent(from, calendar);
  demand(slugSchema, 'new', to);
  if (from === to) throw new UsageError(`The agent is called ${to} already.`);
  freeSlug(to, { ...calendar, folders: calendar.folders.filter((other) => other !== folder) });
  const { issue } = folder.schedule;
  const text = issue === null ? null : announced(folder, from, to);

  const [old, wanted] = [join(cwd, pathOf(from, '')), join(cwd, pathOf(to, ''))];
  if (exists(wanted) && !sameFile(old, wanted)) {
    throw new OperationError(`${pathOf(to, '')} exists already; choose another name, or remove it first.`);
  }
  try {
    renameSync(old, wanted);
    if (text === null) return { from, to, issue };
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
  return { from, to, issue };
}

function unknownAgent(slug: string, { folders, reserved }: Calendar): OperationError {
  const moved = folders.find(({ schedule }) => schedule.formerSlugs.includes(slug));
  const slip = nearest(
    slug,
    folders.map((folder) => folder.slug),
  );
  const advice =
    moved !== undefined
      ? ` It is called ${moved.slug} now.`
      : reserved.some((published) => published.slug === slug)
        ? ' It was published and deleted: bring it back first, as catalog validate says.'
        : slip === undefined
          ? ''
          : ` Did you mean ${slip}?`;
  return new OperationError(`There is no agent ${visible(slug)} in agents/.${advice}`);
}

/** The text of a published agent that says its old name. */
function announced({ texts, schedule }: ParsedFolder, from: string, to: string): string {
  const text = texts.get('agent.md');
  const changed = text === undefined ? null : withFormerSlug(text, from, to);
  if (changed !== null) return changed;
  const former = [...schedule.formerSlugs.filter((slug) => slug !== to), from].join(', ');
  throw new OperationError(
    `The line \`formerSlugs: [${former}]\` cannot be put into ${pathOf(from, 'agent.md')}: write its front matter as one \`key: value\` a line. Nothing has changed.`,
  );
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether two names are one folder, as names are that differ in case on some systems. */
function sameFile(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}
