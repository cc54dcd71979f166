import { trialProblems } from '../build/build.ts';
import { firstFreeDate, freeDates } from '../content/check/calendar.ts';
import { loadContent } from '../content/load.ts';
import { select, status } from '../content/schedule.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import type { Settings } from '../schema/settings.ts';

/** The plan of a day: what `catalog publish` would do. */
export type Plan = ReturnType<typeof planPublication>;

/** An agent that gets its number now. */
export type Release = Plan['releases'][number];

/** An agent that is due but not published because of its errors. */
export type Skipped = Plan['skipped'][number];

/**
 * Plans what `catalog publish` does on the day `today`: agents that are due get the next numbers; those with errors are
 * skipped.
 *
 * Throws ContentError if a numbered agent has an error, because a build would fail on it.
 */
export function planPublication(cwd: string, settings: Settings, today: string) {
  const loaded = loadContent(cwd, settings, today, { numbers: 'expected' });
  const { folders } = loaded;
  const numbered = new Set(folders.filter(({ schedule }) => schedule.issue !== null).map(({ slug }) => slug));
  const tried = select(loaded, { today, skipInvalid: true });
  if (tried.errors.length > 0) throw new ContentError(tried.errors);
  const newcomers = new Set(tried.agents.map(({ slug }) => slug).filter((slug) => !numbered.has(slug)));
  const problems = trialProblems(cwd, settings, tried, newcomers);
  const content = { ...loaded, diagnostics: [...loaded.diagnostics, ...problems] };
  const { agents, skipped, warnings } = select(content, { today, skipInvalid: true });

  const { next, queueDays, queueLow } = status(content, { today, settings });
  const free = freeDates(content, today);
  // An error of a date names a free one, and so does the error of a number whose agent has the same date.
  const namesDate = ({ code }: Diagnostic) => /^(?:date\/taken|date\/backdated|issue\/taken)$/.test(code);
  for (const _ of content.diagnostics.filter(namesDate)) free();
  return {
    /** The day, YYYY-MM-DD, in the publication's time zone. */
    today,
    /** In the order of their numbers. */
    releases: agents
      .filter(({ slug }) => !numbered.has(slug))
      .map(({ slug, issue, date, title }) => ({ slug, issue, date, title })),
    /**
     * The date is null if it cannot be read. `freeDate` is a free date that no other agent is told to take; null if one of the
     * errors names it.
     */
    skipped: skipped.map((slug) => {
      const errors = warnings.filter((diagnostic) => diagnostic.slug === slug && diagnostic.severity === 'error');
      const date = folders.find((folder) => folder.slug === slug)?.schedule.date ?? null;
      return { slug, date, errors, freeDate: errors.some(namesDate) ? null : free() };
    }),
    /** The first free date, YYYY-MM-DD. */
    freeDate: firstFreeDate(content, today),
    /** Problems of agents that are not due, and differences between published agents and the default branch. */
    warnings: warnings.filter(({ slug }) => !skipped.includes(slug ?? '')),
    /** Sentences about the numbers of deleted agents. */
    notices: content.notices,
    /** The first agent without errors after today. */
    next,
    /** How many days in a row, from tomorrow on, have an agent without errors. */
    queueDays,
    /** Whether `queueDays` is less than the settings require. */
    queueLow,
  };
}

/** How to get a skipped agent published. */
export function howToPublish({ freeDate }: Skipped): string {
  const later = ` If a later agent is already published, also give it a free date, such as ${freeDate}.`;
  return `Fix its errors.${freeDate === null ? '' : later}`;
}
