import type { Expected } from '../reader.ts';
import { aboutPages } from './about.ts';
import { agentPages } from './agent.ts';
import { answerPages } from './answers.ts';
import { pageWith } from './frame.ts';
import { listPages } from './lists.ts';
import { mailPages } from './mail.ts';

/** What the pages of the rich catalog say, element by element: the texts of every kind of page, by the path of one. */
export function pagesOf(files: ReadonlyMap<string, Buffer>): Record<string, Expected> {
  const page = pageWith(files);
  return { ...agentPages(page), ...listPages(page), ...aboutPages(page), ...answerPages(page), ...mailPages };
}
