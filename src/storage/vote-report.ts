import { entry } from '../lib/groups.ts';
import { columnsText, compareText, csv, visible } from '../lib/text.ts';
import type { StoredVote, VoteTotal } from './vote.ts';

/** The counts and notes of the votes, to be printed as text or JSON. */
export type VoteReport = Awaited<ReturnType<typeof reportVotes>>;

/** The votes of a day, YYYY-MM-DD. */
type DayVotes = Omit<VoteTotal, 'slug'> & { day: string };

type Totals = ReturnType<typeof totals>;

interface AgentVotes extends Totals {
  slug: string;
  /** Null if the agent is not in the build. */
  title: string | null;
  /** How many of the votes have a note. */
  notes: number;
  withdrawn: boolean;
  /** The latest note on this agent. */
  lastNote: Note | null;
}

/** A vote with a note. `catalog votes redact` takes its id. */
type Note = Omit<StoredVote, 'voter'> & { note: string };

export interface ReportOptions {
  /** Only votes from this time on. @default all */
  since?: Date | undefined;
  /** The most notes, 0 or more. @default 10 */
  notes?: number;
  /** The titles of the agents in the build, by slug. @default no agent is withdrawn */
  titles?: ReadonlyMap<string, string>;
  /** The slugs of withdrawn agents, also former ones. @default all others than `slugs` */
  withdrawn?: ReadonlySet<string> | null;
  /** Maps each former slug to the next slug of the agent. */
  formerSlugs?: ReadonlyMap<string, string>;
  /** Returns the number of lines that are not votes. It is called last, once all lines were read. @default none */
  malformed?: () => number | Promise<number>;
}

/**
 * Counts votes, given in the order in which they were stored.
 *
 * Only the last vote of a voter for an agent on a UTC day counts, and of their notes the last one, which belongs to that
 * vote. A vote for a former slug counts for the agent's current slug.
 */
export async function reportVotes(
  votes: AsyncIterable<StoredVote> | Iterable<StoredVote>,
  { since, notes = 10, titles, withdrawn = null, formerSlugs = new Map(), malformed = () => 0 }: ReportOptions = {},
) {
  const days = new Map<string, Map<string, 'yes' | 'no'>>();
  const bySlug = new Map<string, AgentVotes>();
  const latest = new Map<string, Note>();
  const isWithdrawn = (slug: string) => titles?.has(slug) === false && (withdrawn === null || withdrawn.has(slug));
  for await (const { id, time, slug: voted, vote, note, voter } of votes) {
    if (since !== undefined && Date.parse(time) < since.getTime()) continue;
    const slug = currentSlug(voted, formerSlugs);
    const agent = entry(bySlug, slug, () => newAgent(slug, titles?.get(slug) ?? null, isWithdrawn(slug)));
    const key = `${time.slice(0, 10)} ${slug}`;
    const day = entry(days, key, () => new Map<string, 'yes' | 'no'>());
    const before = day.get(voter);
    if (before !== undefined) agent[before] -= 1;
    agent[vote] += 1;
    day.set(voter, vote);
    const earlier = latest.get(`${key} ${voter}`);
    if (earlier !== undefined) earlier.vote = vote;
    if (note === undefined || note === '') continue;
    if (earlier === undefined) agent.notes += 1;
    agent.lastNote = { id, time, slug, vote, note };
    latest.delete(`${key} ${voter}`);
    latest.set(`${key} ${voter}`, agent.lastNote);
    // Older notes are dropped from time to time, so that the notes of a long log do not fill the memory.
    if (latest.size > 2 * notes + 1000) {
      for (const old of [...latest.keys()].slice(0, latest.size - notes)) latest.delete(old);
    }
  }
  const agents = [...bySlug.values()].map((agent) => ({ ...agent, ...totals(agent.yes, agent.no) }));
  agents.sort((a, b) => b.votes - a.votes || compareText(a.slug, b.slug));
  return {
    /** The time from which votes count, RFC 3339; null if all count. */
    since: since?.toISOString() ?? null,
    totals: totals(sum(agents, 'yes'), sum(agents, 'no')),
    /** Agents with votes: most votes first, then by slug. */
    agents,
    /** Days (UTC) with votes, in order. */
    days: countByDay(days),
    /** The latest notes, newest first. */
    notes: notes === 0 ? [] : [...latest.values()].slice(-notes).reverse(),
    /** The number of lines of the log that are not votes. */
    malformed: await malformed(),
  };
}

/** Counts the last votes of all voters by day. The keys start with the day. */
function countByDay(last: ReadonlyMap<string, ReadonlyMap<string, 'yes' | 'no'>>): DayVotes[] {
  const days = new Map<string, DayVotes>();
  for (const [key, votes] of last) {
    const day = key.slice(0, 10);
    const counts = entry(days, day, () => ({ day, yes: 0, no: 0 }));
    for (const vote of votes.values()) counts[vote] += 1;
  }
  return [...days.values()].sort((a, b) => compareText(a.day, b.day));
}

/** The current slug of an agent, given any of its slugs. */
function currentSlug(slug: string, formerSlugs: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let current = slug;
  for (let next = formerSlugs.get(current); next !== undefined && !seen.has(next); next = formerSlugs.get(current)) {
    seen.add(next);
    current = next;
  }
  return current;
}

function newAgent(slug: string, title: string | null, withdrawn: boolean): AgentVotes {
  return { slug, title, votes: 0, yes: 0, no: 0, share: null, notes: 0, withdrawn, lastNote: null };
}

/** `share` is yes / votes, from 0 to 1 with four decimals; null without votes. */
function totals(yes: number, no: number) {
  const votes = yes + no;
  return { votes, yes, no, share: votes === 0 ? null : Math.round((yes / votes) * 10_000) / 10_000 };
}

function sum(agents: readonly AgentVotes[], key: 'yes' | 'no' | 'notes'): number {
  return agents.reduce((total, agent) => total + agent[key], 0);
}

/** The name of an agent for people: its title, or its slug if no build has it. */
export function nameOf({ slug, title, withdrawn }: Pick<AgentVotes, 'slug' | 'title' | 'withdrawn'>): string {
  return (title ?? slug) + (withdrawn ? ' (withdrawn)' : '');
}

/** Renders a report for a terminal: a table of the agents, then the last notes. Ends with a newline. */
function reportText(report: VoteReport): string {
  const { since, totals, agents, notes, malformed } = report;
  const from = since === null ? '' : ` since ${since}`;
  const parts = [
    totals.votes === 0
      ? `No votes${from}.`
      : columnsText(
          [
            ['agent', 'votes', 'yes', 'no', 'share', 'notes'],
            ...agents.map((agent) => [visible(nameOf(agent)), ...numbers(agent), String(agent.notes)]),
            [`all${from}`, ...numbers(totals), String(sum(agents, 'notes'))],
          ],
          { numeric: true },
        ),
    ...(notes.length === 0
      ? []
      : [['Last notes', ...notes.map((it) => `${it.time}  ${it.slug}  ${it.vote}  ${visible(it.note)}`)].join('\n')]),
    ...(malformed === 0
      ? []
      : [`${malformed} ${malformed === 1 ? 'line is not a vote and was' : 'lines are not votes and were'} left out.`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function numbers({ votes, yes, no, share }: Totals): string[] {
  return [String(votes), String(yes), String(no), share === null ? '' : `${(share * 100).toFixed(1)} %`];
}

/** Renders the agents of a report as CSV, one on each line; the share is from 0 to 1. */
function agentsCsv({ agents }: VoteReport): string {
  const rows = agents.map(({ slug, title, votes, yes, no, share, notes, withdrawn, lastNote }) => {
    const state = withdrawn ? 'yes' : 'no';
    return [slug, votes, yes, no, share ?? '', state, lastNote?.note ?? '', notes, title ?? ''];
  });
  return csv(['slug', 'votes', 'yes', 'no', 'share', 'withdrawn', 'last_note', 'notes', 'title'], rows);
}

/** Renders the notes of a report as CSV, one on each line, newest first. */
function notesCsv({ notes }: VoteReport): string {
  const rows = notes.map(({ time, slug, vote, note, id }) => [time, slug, vote, note, id]);
  return csv(['time', 'slug', 'vote', 'note', 'id'], rows);
}

/** Renders a report: as a text for a terminal, or its agents or notes as CSV. */
export function renderReport(report: VoteReport, format: 'text' | 'agents.csv' | 'notes.csv'): string {
  return { text: reportText, 'agents.csv': agentsCsv, 'notes.csv': notesCsv }[format](report);
}
