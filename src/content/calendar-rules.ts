import { addDays } from '../calendar.ts';
import { compareText } from '../compare.ts';
import { type Diagnostic, diagnose, type Finding } from '../diagnostics.ts';
import { placeInFrontMatter } from '../yaml-place.ts';
import { pathOf } from './files.ts';
import type { ParsedFolder } from './parse.ts';

/**
 * What the folders have to agree on: numbers, dates and former slugs (design of numbers: an agent keeps its number for
 * ever, one agent a day, numbers rise with the dates).
 *
 * `today` is the earliest date that is proposed as free.
 */
export function checkTogether(
  folders: readonly ParsedFolder[],
  today: string,
  published: PublishedNumber = () => null,
): Diagnostic[] {
  const numbered = folders.filter(hasIssue).sort((a, b) => a.place.issue - b.place.issue || byDate(a, b));
  const free = firstFreeDate(folders, today);
  return [
    ...takenNumbers(numbered, published),
    ...fallingDates(numbered),
    ...takenDates(folders, free),
    ...backdated(folders, numbered, free),
    ...exceptions(folders),
    ...takenSlugs(folders),
  ];
}

/**
 * The number that an agent has where readers get it from, the default branch of the remote, with the name of that
 * branch; null where nothing is known. Asked only of agents that share a number.
 */
export type PublishedNumber = (slug: string) => { issue: number | null; branch: string } | null;

/** The first day from `today` on, after the last numbered agent, that no agent has. */
export function firstFreeDate(folders: readonly ParsedFolder[], today: string): string {
  const taken = new Set(folders.map(({ place }) => place.date));
  const last = lastNumberedDate(folders.filter(hasIssue));
  let day = last !== null && last >= today ? addDays(last, 1) : today;
  while (taken.has(day)) day = addDays(day, 1);
  return day;
}

type Numbered = ParsedFolder & { place: { issue: number } };

function hasIssue(folder: ParsedFolder): folder is Numbered {
  return folder.place.issue !== null;
}

function byDate(a: ParsedFolder, b: ParsedFolder): number {
  return compareText(a.place.date ?? '', b.place.date ?? '') || compareText(a.slug, b.slug);
}

function lastNumberedDate(numbered: readonly Numbered[]): string | null {
  return numbered.reduce<string | null>(
    (last, { place: { date } }) => (date !== null && date > (last ?? '') ? date : last),
    null,
  );
}

/** Of agents with one number the one that has it on the default branch keeps it, else the earlier by date and slug. */
function takenNumbers(numbered: readonly Numbered[], published: PublishedNumber): Diagnostic[] {
  return numbered.flatMap((first, index) => {
    if (numbered[index - 1]?.place.issue === first.place.issue) return [];
    const claimants = numbered.filter(({ place }) => place.issue === first.place.issue);
    if (claimants.length === 1) return [];
    const known = claimants.map((folder) => ({ folder, at: published(folder.slug) }));
    const keeper = known.find(({ at }) => at?.issue === first.place.issue) ?? { folder: first, at: null };
    const why = keeper.at === null ? 'comes first by date and slug' : `has it on ${keeper.at.branch} already`;
    return claimants
      .filter((folder) => folder !== keeper.folder)
      .flatMap((folder) =>
        at(folder, 'issue', {
          code: 'issue/taken',
          message: `Number ${folder.place.issue} belongs to \`${keeper.folder.slug}\`, which ${why}.`,
          hint: 'This one moves: delete its `issue` line, and `catalog publish` writes the next number.',
        }),
      );
  });
}

function fallingDates(numbered: readonly Numbered[]): Diagnostic[] {
  return numbered.flatMap((folder, index) => {
    const before = numbered[index - 1];
    if (before === undefined || folder.place.issue === before.place.issue) return [];
    if (folder.place.date === null || before.place.date === null || folder.place.date >= before.place.date) return [];
    return at(folder, 'issue', {
      code: 'issue/order',
      message: `Number ${folder.place.issue} is dated ${folder.place.date}, before number ${before.place.issue} (\`${before.slug}\`, ${before.place.date}).`,
      hint: 'Put back the date and the number with which it was published; git has them.',
    });
  });
}

function takenDates(folders: readonly ParsedFolder[], free: string): Diagnostic[] {
  const rank = ({ place }: ParsedFolder) =>
    place.issue ?? (place.draft ? Number.POSITIVE_INFINITY : Number.MAX_SAFE_INTEGER);
  const ordered = [...folders].sort((a, b) => rank(a) - rank(b) || compareText(a.slug, b.slug));
  const owners = new Map<string, ParsedFolder>();
  return ordered.flatMap((folder) => {
    const { date } = folder.place;
    if (date === null) return [];
    const owner = owners.get(date);
    if (owner === undefined) {
      owners.set(date, folder);
      return [];
    }
    if (folder.place.issue !== null && folder.place.issue === owner.place.issue) return [];
    return at(folder, 'date', {
      code: 'date/taken',
      message: `${date} is the date of \`${owner.slug}\`; one agent comes out a day.`,
      hint: `Choose another date; the first free one is ${free}.`,
    });
  });
}

function backdated(folders: readonly ParsedFolder[], numbered: readonly Numbered[], free: string): Diagnostic[] {
  const last = lastNumberedDate(numbered);
  const dates = new Set(numbered.map(({ place }) => place.date));
  return folders.flatMap((folder) => {
    const { date, issue, draft } = folder.place;
    if (issue !== null || draft || date === null || last === null || date > last || dates.has(date)) return [];
    return at(folder, 'date', {
      code: 'date/backdated',
      message: `${date} is before ${last}, the date of the last numbered agent, so this one can't be numbered any more.`,
      hint: `Choose a later date; the first free one is ${free}.`,
    });
  });
}

function exceptions(folders: readonly ParsedFolder[]): Diagnostic[] {
  return folders.flatMap((folder) => {
    const { issue, draft, withdrawn } = folder.place;
    if (issue !== null && draft) {
      return at(folder, 'draft', {
        code: 'issue/draft',
        message: `This agent has number ${issue}, so it is published and can't be a draft.`,
        hint: 'Remove the `draft` line; to take the agent back, write `withdrawn: <reason>`.',
      });
    }
    if (withdrawn && issue === null) {
      return at(folder, 'withdrawn', {
        code: 'withdrawn/unnumbered',
        message: 'This agent has no number, so there is nothing to withdraw.',
        hint: 'Write `draft: true` instead, or delete the folder.',
      });
    }
    return [];
  });
}

function takenSlugs(folders: readonly ParsedFolder[]): Diagnostic[] {
  const owners = new Map(folders.map((folder) => [folder.slug, folder]));
  return folders.flatMap((folder) =>
    folder.place.formerSlugs.flatMap((slug, index) => {
      const owner = owners.get(slug);
      owners.set(slug, owner ?? folder);
      if (owner === undefined) return [];
      return at(folder, ['formerSlugs', index], {
        code: 'slug/taken',
        message: `\`${slug}\` ${owner.slug === slug ? 'is the folder of an agent' : `is already a former slug of \`${owner.slug}\``}.`,
        hint: 'Remove it here: an address can lead to one agent only.',
      });
    }),
  );
}

function at(
  folder: ParsedFolder,
  path: string | (string | number)[],
  finding: Omit<Finding, 'file' | 'slug'>,
): Diagnostic[] {
  const text = folder.texts.get('agent.md');
  const position = text?.startsWith('---\n')
    ? { text, place: placeInFrontMatter(text, typeof path === 'string' ? [path] : path) }
    : {};
  return [diagnose({ ...finding, ...position, file: pathOf(folder.slug, 'agent.md'), slug: folder.slug })];
}
