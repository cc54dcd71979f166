import { trialFaults } from '../build/trial.ts';
import { firstFreeDate } from '../catalog/consistency/calendar-rules.ts';
import { loadContent } from '../catalog/load.ts';
import { type Status, status } from '../catalog/schedule.ts';
import { select } from '../catalog/select.ts';
import { ContentError, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Settings } from '../schema/settings.ts';

/** An agent that gets its number now. */
export interface Release {
  slug: string;
  issue: number;
  /** YYYY-MM-DD. */
  date: string;
  title: string;
}

/** A due agent without a number that stays out, with what has to be mended. */
export interface HeldBack {
  slug: string;
  /** YYYY-MM-DD, or null where it cannot be read. */
  date: string | null;
  errors: Diagnostic[];
}

/** What a day brings. */
export interface Plan {
  /** YYYY-MM-DD, in the publication's time zone. */
  today: string;
  /** In the order of their numbers. */
  releases: Release[];
  heldBack: HeldBack[];
  /** The first day on which an agent that lost its own can come out, YYYY-MM-DD. */
  freeDate: string;
  /** What is wrong with agents that are not due, and where published ones differ from git's record of them. */
  warnings: Diagnostic[];
  /** What a publisher has to know about numbers of deleted agents, in sentences. */
  notices: string[];
  /** The first sound agent to come after today. */
  next: Status['next'];
  /** How many days from tomorrow on have a sound agent, without a gap. */
  queueDays: number;
  /** Whether that is less than the settings ask for. */
  queueLow: boolean;
}

/**
 * What `catalog publish` does on the day `today`: due agents without a number get the next ones, those of them with an
 * error are held back.
 *
 * Throws ContentError when anything that has a number already is faulty: a build would fail on it.
 */
export function planPublication(cwd: string, settings: Settings, today: string): Plan {
  const found = loadContent(cwd, settings, today);
  const { folders } = found;
  const numbered = new Set(folders.filter(({ place }) => place.issue !== null).map(({ slug }) => slug));
  const tried = select(found, { today, holdBack: true });
  if (tried.errors.length > 0) throw new ContentError(tried.errors);
  const newcomers = new Set(tried.agents.map(({ slug }) => slug).filter((slug) => !numbered.has(slug)));
  const faults = trialFaults(cwd, settings, tried, newcomers);
  const content = { ...found, diagnostics: [...found.diagnostics, ...faults] };
  const { agents, heldBack, warnings } = select(content, { today, holdBack: true });

  const { next, queueDays, queueLow } = status(content, { today, settings });
  return {
    today,
    releases: agents
      .filter(({ slug }) => !numbered.has(slug))
      .map(({ slug, issue, date, title }) => ({ slug, issue, date, title })),
    heldBack: heldBack.map((slug) => ({
      slug,
      date: folders.find((folder) => folder.slug === slug)?.place.date ?? null,
      errors: warnings.filter((diagnostic) => diagnostic.slug === slug && diagnostic.severity === 'error'),
    })),
    freeDate: firstFreeDate(content, today),
    warnings: warnings.filter(({ slug }) => !heldBack.includes(slug ?? '')),
    notices: content.notices,
    next,
    queueDays,
    queueLow,
  };
}

/** How an agent that is held back comes out after all. */
export function howToFree({ freeDate }: Pick<Plan, 'freeDate'>): string {
  return `Mend its errors; once a later agent is out, also give it a free date, of which ${freeDate} is the first.`;
}
