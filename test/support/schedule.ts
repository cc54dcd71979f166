import type { SmallAgent } from './catalog.ts';
import { catalog } from './process.ts';

/** `catalog status` on a day. */

/** The day on which it runs. */
export const today = '2026-11-21';
/** Runs the command in a folder. */
export const status = (folder: string, ...args: string[]) =>
  catalog(['status', '--cwd', folder, '--today', today, ...args]);

/** One folder of every kind. */
export const everyKind: SmallAgent[] = [
  { slug: 'first', date: '2026-11-15', front: { issue: '1' } },
  { slug: 'taken-back', date: '2026-11-16', front: { issue: '2', withdrawn: 'It was wrong.' } },
  { slug: 'hurt', date: '2026-11-17', front: { issue: '3', difficulty: 'medum', category: 'codng' } },
  { slug: 'missed', date: '2026-11-19' },
  { slug: 'late', date: '2026-11-20', front: { excerpt: null } },
  { slug: 'of-today', date: today },
  { slug: 'tomorrow', date: '2026-11-22' },
  { slug: 'after-that', date: '2026-11-23' },
  { slug: 'unsound', date: '2026-11-24', front: { tags: '[]' } },
  { slug: 'far', date: '2026-12-24' },
  { slug: 'sketch', date: '2026-11-26', front: { draft: 'true' } },
];
