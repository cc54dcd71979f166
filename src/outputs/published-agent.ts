import { type Zone, zone } from '../calendar.ts';
import { digestOf } from '../digest.ts';
import { once } from '../once.ts';
import { type Change, headOf, type NumberedAgent } from '../schema/agent.ts';
import type { AgentDocument } from '../schema/documents.ts';
import type { Settings } from '../schema/settings.ts';
import { agentDocumentOf } from './shared/agent-document.ts';
import { addresses } from './shared/urls.ts';
import type { Fingerprint, PublishedAgent, SiteInput } from './site.ts';

/**
 * Returns a function that adds to an agent what a site shows of it. `listsShowAll` is whether templates may show any field
 * in a list.
 */
export function publisherOf(
  settings: Settings,
  history: SiteInput['history'],
  listsShowAll: boolean,
): (agent: NumberedAgent) => PublishedAgent {
  const url = addresses(settings);
  const calendar = zone(settings.timezone);
  return (agent) => {
    const changes = changesOf(agent, history);
    const document = once(() => agentDocumentOf(agent, settings, url));
    const dates = once(() => datesOf(agent.date, changes, calendar));
    const fingerprint = fingerprintOf(agent, changes, listsShowAll);
    const { issue, isRecalled } = agent;
    const known = { issue, fingerprint, revision: changes.length, ...(isRecalled === true && { isRecalled }) };
    return Object.assign(new LaterFields(agent, document, dates), headOf(agent), known);
  };
}

type Dates = Pick<PublishedAgent, 'published' | 'changed' | 'changedOn' | 'history'>;

/**
 * The fields of an agent that are only made when they are used, since most builds show few agents: those that a site adds,
 * and the long texts. They are on the prototype, so that all agents have the same shape, which V8 reads fastest.
 */
class LaterFields {
  readonly #agent: NumberedAgent;
  readonly #document: () => AgentDocument;
  readonly #dates: () => Dates;

  constructor(agent: NumberedAgent, document: () => AgentDocument, dates: () => Dates) {
    this.#agent = agent;
    this.#document = document;
    this.#dates = dates;
  }

  get document(): AgentDocument {
    return this.#document();
  }

  get published(): Date {
    return this.#dates().published;
  }

  get changed(): Date {
    return this.#dates().changed;
  }

  get changedOn(): string {
    return this.#dates().changedOn;
  }

  get history(): Dates['history'] {
    return this.#dates().history;
  }

  get howItWorks(): string {
    return this.#agent.howItWorks;
  }

  get demo(): NumberedAgent['demo'] {
    return this.#agent.demo;
  }

  get prompt(): string {
    return this.#agent.prompt;
  }

  get sampleInput(): string {
    return this.#agent.sampleInput;
  }

  get sampleOutput(): string {
    return this.#agent.sampleOutput;
  }

  get config(): NumberedAgent['config'] {
    return this.#agent.config;
  }

  get evals(): NumberedAgent['evals'] {
    return this.#agent.evals;
  }
}

function fingerprintOf(
  { slug, issue, date, digest, headDigest }: NumberedAgent,
  changes: readonly Change[],
  listsShowAll: boolean,
): Fingerprint {
  const whole = digestOf(JSON.stringify([slug, issue, date, digest, changes]));
  return {
    whole,
    listed: listsShowAll ? whole : digestOf(JSON.stringify([slug, issue, date, headDigest, changes[0]?.time])),
  };
}

/** The changes of an agent, newest first. A commit that renamed it changed nothing that readers see. */
function changesOf({ slug, formerSlugs }: NumberedAgent, history: SiteInput['history']): Change[] {
  return [slug, ...(formerSlugs ?? [])]
    .flatMap((name) => history.get(name) ?? [])
    .filter(({ whole }) => !whole)
    .sort((a, b) => b.time - a.time);
}

/** When an agent was published and changed. */
function datesOf(date: string, changes: readonly Change[], { startOfDay, today }: Zone): Dates {
  const published = startOfDay(date);
  const changed = new Date(Math.max(changes[0]?.time ?? 0, published.getTime()));
  return {
    published,
    changed,
    changedOn: today(changed),
    history: changes.map((change) => ({ ...change, day: today(new Date(change.time)) })),
  };
}
