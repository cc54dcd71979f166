import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { addDays } from '../../src/lib/calendar.ts';
import { type SmallAgent, writeCatalog, writeFiles } from './catalog.ts';
import { commitAt, gitSync } from './git.ts';

/** The date of the first agent; the others follow day by day. */
export const firstDay = '2026-01-01';

/** A catalog that changes step by step, with everything that decides the bytes of its build. */
export class ChangingCatalog {
  today = addDays(firstDay, 5);
  flags: string[] = [];
  #agents = new Map<string, SmallAgent>();
  #settings: Record<string, unknown> = {};
  #commits = 0;
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    const slugs = ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel', 'later'];
    for (const [index, slug] of slugs.entries()) this.add(slug, addDays(firstDay, index), index < 5 ? index + 1 : null);
    this.setting('title', 'Trees');
  }

  add(slug: string, date: string, issue: number | null = null): void {
    const category = slug.length % 2 === 0 ? 'coding' : 'writing';
    const front = { title: `The ${slug} agent`, category, ...(issue === null ? {} : { issue: String(issue) }) };
    this.#agents.set(slug, { slug, date, front });
    this.#write(slug);
  }

  /** Changes the front matter of the agent at a place in the list, counted around. */
  edit(place: number, front: Record<string, string | null>): void {
    const agent = this.#at(place);
    this.#agents.set(agent.slug, { ...agent, front: { ...agent.front, ...front } });
    this.#write(agent.slug);
  }

  file(place: number, name: string, text: string): void {
    const agent = this.#at(place);
    this.#agents.set(agent.slug, { ...agent, files: { ...agent.files, [name]: text } });
    this.#write(agent.slug);
  }

  rename(place: number): void {
    const { slug, ...agent } = this.#at(place);
    const next = `${slug}-${this.#agents.size}`;
    this.#remove(slug);
    const formerSlugs = `[${slug}]`;
    this.#agents.set(next, { ...agent, slug: next, front: { ...agent.front, formerSlugs } });
    this.#write(next);
  }

  remove(place: number): void {
    if (this.#agents.size > 2) this.#remove(this.#at(place).slug);
  }

  setting(name: string, value: unknown): void {
    this.#settings = { ...this.#settings, [name]: value };
    writeCatalog(this.folder, [], this.#settings);
  }

  commit(): void {
    if (!existsSync(join(this.folder, '.git'))) {
      gitSync(this.folder, 'init', '--quiet', '--initial-branch=main');
      writeFiles(this.folder, { '.gitignore': 'dist/\ncache/\n' });
    }
    this.#commits += 1;
    if (gitSync(this.folder, 'status', '--porcelain') === '') return;
    commitAt(this.folder, `2026-01-0${1 + (this.#commits % 8)}T12:00:0${this.#commits % 10}Z`);
  }

  #at(place: number): SmallAgent {
    const agents = [...this.#agents.values()];
    return agents[place % agents.length] as SmallAgent;
  }

  #write(slug: string): void {
    writeCatalog(this.folder, [this.#agents.get(slug) as SmallAgent], this.#settings);
  }

  #remove(slug: string): void {
    this.#agents.delete(slug);
    rmSync(join(this.folder, 'agents', slug), { recursive: true });
  }
}
