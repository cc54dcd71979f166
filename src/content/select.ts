import type { Agent, NumberedAgent } from '../schema/agent.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import type { Content } from './load.ts';
import { isDue, number } from './load.ts';
import type { ParsedFolder } from './parse/parse.ts';

/** Which agents a build includes, besides those that are due. */
export interface Selection {
  /** The day that decides which agents are due, YYYY-MM-DD. */
  today: string;
  /** Whether to include agents dated later. */
  future?: boolean;
  /** Whether to include drafts. */
  drafts?: boolean;
  /**
   * Whether to skip new agents that have errors instead of failing. Where a folder contradicts git's record of a
   * published agent, the record is used.
   */
  skipInvalid?: boolean;
  /** Slugs of the last build. These agents are never skipped, since that would unpublish them. */
  published?: ReadonlySet<string>;
}

/** The agents that a build renders, and the errors that stop it. */
export interface Selected {
  /** In the order of their numbers. */
  agents: NumberedAgent[];
  /** The slugs of withdrawn agents, also former ones: no output shows them, but their numbers and dates stay taken. */
  withdrawn: string[];
  /** Maps each former slug to the slug of the agent that had it. */
  moved: Map<string, string>;
  /** Due agents without a number that were skipped because of their errors. */
  skipped: string[];
  /** Errors that make the build fail. */
  errors: Diagnostic[];
  /** All other diagnostics: of future agents, drafts and skipped agents. */
  warnings: Diagnostic[];
}

/** Whether a build that skips errors can ignore this error, because it uses git's record of the agent instead. */
export function isSettledByRecord({ code }: Diagnostic): boolean {
  return /^(?:record\/|issue\/order$)/.test(code);
}

/**
 * Selects the agents of a build from all folders and numbers them.
 *
 * Agents that are due and have no number get the next ones after the highest number ever given. `catalog publish` will
 * write the same numbers.
 */
export function select(
  { folders, reserved, diagnostics }: Pick<Content, 'folders' | 'reserved' | 'diagnostics'>,
  selection: Selection,
): Selected {
  const faulty = new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ slug }) => slug));
  const skipped = folders.filter(
    ({ slug, schedule }) =>
      selection.skipInvalid && faulty.has(slug) && !selection.published?.has(slug) && isDue(schedule, selection.today),
  );
  const outside = new Set(
    [...skipped, ...folders.filter((folder) => !isWanted(folder, selection))].map(({ slug }) => slug),
  );
  const wanted = folders.filter(({ slug }) => !outside.has(slug));
  const withdrawn = folders
    .filter(({ schedule }) => schedule.withdrawn && schedule.issue !== null)
    .flatMap(({ slug, schedule }) => [slug, ...schedule.formerSlugs]);

  const numbered = new Set(folders.filter(({ schedule }) => schedule.issue !== null).map(({ slug }) => slug));
  const concernsNumbers = ({ code, slug }: Diagnostic) =>
    /^(?:issue|date|record)\//.test(code) && numbered.has(slug ?? '');
  const errors = diagnostics.filter(
    (diagnostic) =>
      diagnostic.severity === 'error' &&
      !(selection.skipInvalid && isSettledByRecord(diagnostic)) &&
      (diagnostic.slug === null || !outside.has(diagnostic.slug) || concernsNumbers(diagnostic)),
  );
  const taken = [...folders.map(({ schedule }) => schedule), ...reserved].map(({ issue }) => issue ?? 0);
  const highest = taken.reduce((most, issue) => Math.max(most, issue), 0);
  const agents = number(
    wanted.map(({ agent }) => agent).filter((agent): agent is Agent => agent !== null),
    highest,
  );
  return {
    agents,
    withdrawn,
    moved: new Map(
      agents.flatMap(({ slug, formerSlugs }) => (formerSlugs ?? []).map((former) => [former, slug] as const)),
    ),
    skipped: skipped.map(({ slug }) => slug),
    errors,
    warnings: diagnostics.filter((diagnostic) => !errors.includes(diagnostic)),
  };
}

function isWanted({ schedule }: ParsedFolder, { today, future = false, drafts = false }: Selection): boolean {
  if (schedule.withdrawn) return false;
  if (schedule.draft && schedule.issue === null && !drafts) return false;
  return future || schedule.date === null || schedule.date <= today || (schedule.draft && drafts);
}
