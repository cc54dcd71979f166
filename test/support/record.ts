import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadContent } from '../../src/content/load.ts';
import { select } from '../../src/content/schedule.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { planPublication } from '../../src/publish/plan.ts';
import { inFolder, type SmallAgent, smallAgent, writeCatalog, writeFiles } from './catalog.ts';
import { gitSync } from './git.ts';
import { makeOnce } from './make-once.ts';

/** A catalog of three published agents in a repository, how to change it, and what the program makes of the change. */

/** The day on which all of this happens, unless a test names another. */
export const today = '2026-02-01';
/** An agent of a day in January. */
export const agent = (slug: string, day: number, front: Record<string, string> = {}): SmallAgent => ({
  slug,
  date: `2026-01-${String(day).padStart(2, '0')}`,
  front,
});
export const published = [
  agent('one', 1, { issue: '1' }),
  agent('two', 2, { issue: '2' }),
  agent('three', 3, { issue: '3' }),
];

/** Runs `use` with a repository whose branch main holds the agents. */
export async function withRecord(use: (folder: string) => void | Promise<void>, agents = published): Promise<void> {
  await inFolder(async (folder) => {
    makeOnce(folder, JSON.stringify(agents), () => {
      writeCatalog(folder, agents);
      gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
      commit(folder);
    });
    await use(folder);
  });
}

/** Commits all changes. */
export function commit(folder: string): void {
  gitSync(folder, 'add', '--all');
  gitSync(folder, 'commit', '--quiet', '-m', 'Change the agents');
}

/** Writes agents over what is there. */
export function put(folder: string, ...agents: SmallAgent[]): void {
  for (const each of agents) writeFiles(join(folder, 'agents', each.slug), smallAgent(each));
}

export const remove = (folder: string, slug: string) => rmSync(join(folder, 'agents', slug), { recursive: true });
export const move = (folder: string, from: string, to: string) =>
  renameSync(join(folder, 'agents', from), join(folder, 'agents', to));

/** Every error: code, location, how to fix it. */
export function errors(folder: string, day = today): string[] {
  return loadContent(folder, loadSettings(folder, {}, {}), day).diagnostics.map(
    ({ code, file, line, hint }) => `${code} ${file.replace('agents/', '')}:${line} ${hint}`,
  );
}

/** What `catalog publish` would do: the new numbers, the skipped agents, and the notices. */
export function plan(folder: string, day = today) {
  const { releases, skipped, notices } = planPublication(folder, loadSettings(folder, {}, {}), day);
  return {
    numbers: Object.fromEntries(releases.map(({ slug, issue }) => [slug, issue])),
    skipped: skipped.map(({ slug }) => slug),
    notices,
  };
}

/** The number that `catalog publish` announces for the first agent after the day; undefined without one. */
export function announced(folder: string, day = today): number | undefined {
  return planPublication(folder, loadSettings(folder, {}, {}), day).next?.issue;
}

/** The numbers that a build shows, leaving out what has errors, as the daily run does. */
export function built(folder: string, day = today): Record<string, number> {
  const { agents } = select(loadContent(folder, loadSettings(folder, {}, {}), day), { today: day, skipInvalid: true });
  return Object.fromEntries(agents.map(({ slug, issue }) => [slug, issue]));
}

/** The hint where a number was typed by hand. */
export const drop = 'Delete the `issue` line; `catalog publish` writes the number on that date.';
export const dropForNext = 'Delete the `issue` line; `catalog publish` writes the next number.';
