import { distance } from 'fastest-levenshtein';
import { compareText } from '../../lib/text.ts';
import type { Agent } from '../../schema/agent.ts';
import type { Diagnostic } from '../../schema/diagnostics/diagnostic.ts';
import { diagnose } from '../../schema/diagnostics/diagnostic.ts';
import { locationAt } from '../../schema/diagnostics/location.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { inFrontMatter } from '../check/calendar.ts';
import { pathOf } from '../parse/files.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { placeholderFindings } from '../parse/placeholders.ts';
import { TextIndex } from './text-index.ts';

/** The editorial rules that compare agents with each other. */
export const rulesAcross = ['editorial/near-duplicate', 'editorial/similar-tag'] as const;

type Complete = ParsedFolder & { written: Agent };

/** Applies the rules that compare agents. An agent is compared with those published or scheduled before it; drafts come last. */
export function findingsAcross(folders: readonly ParsedFolder[]): Diagnostic[] {
  const complete = folders
    .filter((folder): folder is Complete => folder.written !== null && !folder.schedule.withdrawn)
    .sort((a, b) => rank(a) - rank(b) || compareText(a.written.date, b.written.date) || compareText(a.slug, b.slug));
  return [...nearDuplicates(complete), ...similarTags(complete)];
}

function rank({ schedule: { issue, draft } }: ParsedFolder): number {
  return draft ? Number.MAX_SAFE_INTEGER : (issue ?? Number.MAX_SAFE_INTEGER - 1);
}

/** The share of a prompt from which on it is reported. */
export const leastRepeated = 0.5;

/** Reports prompts of which at least half is in the prompt of an earlier agent, except those that still have placeholders. */
function nearDuplicates(folders: readonly Complete[]): Diagnostic[] {
  const index = new TextIndex();
  return folders.flatMap(({ slug, written: { prompt } }) => {
    if (placeholderFindings(prompt).length > 0) return [];
    const found = index.add(slug, prompt, leastRepeated);
    if (found === null) return [];
    return diagnose({
      code: 'editorial/near-duplicate',
      slug,
      file: pathOf(slug, 'prompt.txt'),
      text: prompt,
      location: locationAt(prompt, 0, prompt.length),
      ...promptMessages.promptRepeats(found.share, found.name),
    });
  });
}

/** Reports tags that are close to one that more agents have or, with as many, an earlier agent. */
function similarTags(folders: readonly Complete[]): Diagnostic[] {
  const uses = new Map<string, number>();
  for (const { written } of folders) for (const tag of written.tags) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  // Sorting is stable, so tags with as many uses stay in the order of their first use.
  const known = [...uses.keys()].sort((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0));
  const nearest = new Map<string, string>();
  const byStem = new Map<string, string>();
  const byInitial = new Map<string, string[]>();
  for (const tag of known) {
    const others = byInitial.get(tag.charAt(0)) ?? [];
    const near = byStem.get(stem(tag)) ?? others.find((other) => isClose(tag, other));
    if (near === undefined) byStem.set(stem(tag), tag);
    else nearest.set(tag, near);
    others.push(tag);
    byInitial.set(tag.charAt(0), others);
  }
  return folders.flatMap((folder) =>
    folder.written.tags.flatMap((tag, index) => {
      const near = nearest.get(tag);
      if (near === undefined) return [];
      return inFrontMatter(folder, ['tags', index], {
        code: 'editorial/similar-tag',
        ...textMessages.similarTag(tag, near, uses.get(near) ?? 0),
      });
    }),
  );
}

/** A tag without hyphens and the ending of a plural, which make no difference. */
function stem(tag: string): string {
  return tag.replaceAll('-', '').replace(/(?<=...)s$/, '');
}

/** Whether two tags differ in few letters of a long word, but not in a number, such as a version. */
function isClose(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  const most = shorter >= 10 ? 2 : 1;
  if (shorter < 6 || Math.abs(a.length - b.length) > most || distance(a, b) > most) return false;
  return a.replace(/\D/g, '') === b.replace(/\D/g, '');
}
