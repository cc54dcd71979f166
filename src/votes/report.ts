import { compareText } from '../compare.ts';
import type { VoteRecord } from './store.ts';

/** What the votes say, ready to be shown or given out as JSON. */
export interface VoteReport {
  /** The instant from which votes count, RFC 3339; null: from the first. */
  since: string | null;
  totals: Totals;
  /** Agents with votes: most votes first, then by slug. */
  agents: AgentVotes[];
  /** The latest notes, newest first. */
  notes: Note[];
  /** Lines of the log that are no votes, and were left out. */
  malformed: number;
}

export interface Totals {
  votes: number;
  yes: number;
  no: number;
  /** yes / votes, from 0 to 1 with four decimals; null without votes. */
  share: number | null;
}

export interface AgentVotes extends Totals {
  slug: string;
  withdrawn: boolean;
  /** The latest note on this agent. */
  lastNote: Note | null;
}

export interface Note {
  /** Of the vote, for `catalog votes redact`. */
  id: string;
  time: string;
  slug: string;
  vote: 'yes' | 'no';
  note: string;
}

export interface ReportOptions {
  /** Votes from this instant on. @default all */
  since?: Date | undefined;
  /** How many notes, 0 or more. @default 10 */
  notes?: number;
  /** Slugs that were withdrawn. */
  withdrawn?: ReadonlySet<string>;
  /** From each former slug to the one that came after it. */
  formerSlugs?: ReadonlyMap<string, string>;
  /** Asked at the end, as it is known only when all was read. @default none */
  malformed?: () => number;
}

/**
 * Counts votes, given in the order in which they were stored.
 *
 * Of a voter's votes on one agent on one UTC day the last counts; its earlier ones do not, but their notes are shown
 * like any other. A vote on a former slug is one on the agent's present slug.
 */
export async function reportVotes(
  records: AsyncIterable<VoteRecord> | Iterable<VoteRecord>,
  { since, notes = 10, withdrawn = new Set(), formerSlugs = new Map(), malformed = () => 0 }: ReportOptions = {},
): Promise<VoteReport> {
  const days = new Map<string, Map<string, 'yes' | 'no'>>();
  const bySlug = new Map<string, AgentVotes>();
  const latest: Note[] = [];
  for await (const { id, time, slug: voted, vote, note, voter } of records) {
    if (since !== undefined && Date.parse(time) < since.getTime()) continue;
    const slug = presentSlug(voted, formerSlugs);
    const agent = entry(bySlug, slug, () => newAgent(slug, withdrawn));
    const day = entry(days, `${time.slice(0, 10)} ${slug}`, () => new Map<string, 'yes' | 'no'>());
    const before = day.get(voter);
    if (before !== undefined) agent[before] -= 1;
    agent[vote] += 1;
    day.set(voter, vote);
    if (note === undefined || note === '') continue;
    agent.lastNote = { id, time, slug, vote, note };
    latest.push(agent.lastNote);
    // Cut now and then, not at every note: a long log must not be held in memory.
    if (latest.length > 2 * notes + 1000) latest.splice(0, latest.length - notes);
  }
  const agents = [...bySlug.values()].map((agent) => ({ ...agent, ...totals(agent.yes, agent.no) }));
  agents.sort((a, b) => b.votes - a.votes || compareText(a.slug, b.slug));
  return {
    since: since?.toISOString() ?? null,
    totals: totals(sum(agents, 'yes'), sum(agents, 'no')),
    agents,
    notes: notes === 0 ? [] : latest.slice(-notes).reverse(),
    malformed: malformed(),
  };
}

/** Follows an agent through all the names it had. */
function presentSlug(slug: string, formerSlugs: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let present = slug;
  for (let next = formerSlugs.get(present); next !== undefined && !seen.has(next); next = formerSlugs.get(present)) {
    seen.add(next);
    present = next;
  }
  return present;
}

function newAgent(slug: string, withdrawn: ReadonlySet<string>): AgentVotes {
  return { slug, votes: 0, yes: 0, no: 0, share: null, withdrawn: withdrawn.has(slug), lastNote: null };
}

function totals(yes: number, no: number): Totals {
  const votes = yes + no;
  return { votes, yes, no, share: votes === 0 ? null : Math.round((yes / votes) * 10_000) / 10_000 };
}

function sum(agents: readonly AgentVotes[], key: 'yes' | 'no'): number {
  return agents.reduce((total, agent) => total + agent[key], 0);
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
