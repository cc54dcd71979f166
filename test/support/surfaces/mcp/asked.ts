import { newer, older, rich } from '../../rich-catalog.ts';
import { address, base, coding } from '../known.ts';
import type { Expected } from '../reader.ts';

/** What a request has to be answered with. What is not in it may not be in the answer. */
export interface Asked {
  method: string;
  params?: object;
  /** The result without what every result carries, and without the text of a tool or a document, which is checked below. */
  result?: object;
  /** Paths in the result, for results that are only checked in part: schemas, and the skills of the other agents. */
  places?: Expected;
  /** The text of a tool, as it is. */
  text?: string;
  /** The text of a tool, as the page that it renders to. */
  markdown?: Expected;
  /** The text of the resource that is read, as JSON. */
  document?: object;
  /** The file of the site that the text of the resource is, byte for byte. */
  file?: string;
}

/** The agents by name, with what lists show of them. */
export const summaries = {
  newer: { ...newer, category: 'coding', difficulty: 'easy' },
  rich,
  older: { ...older, category: 'writing', difficulty: 'easy' },
};

/** An agent in a list, in short, and its line in the text. */
export const short = (key: keyof typeof summaries) => {
  const { slug, title, date, category, difficulty, excerpt } = summaries[key];
  return { title, slug, date, category, difficulty, excerpt };
};
export const shortLine = (key: keyof typeof summaries, score = '') => {
  const { slug, title, date, category, difficulty, excerpt } = summaries[key];
  return `- ${slug}: ${title}. ${excerpt} (${category}, ${difficulty}, ${date}${score})`;
};

/** The agent `rich` in a list, with all that `detail` adds, and its line in the text. */
export const richInFull = {
  ...short('rich'),
  issue: 2,
  categoryLabel: coding,
  tags: rich.tags,
  runtimes: rich.runtimes,
  url: address,
  apiUrl: `${base}/api/agents/rich.json`,
  promptUrl: `${address}/prompt.txt`,
};
export const richLineInFull = `- rich: ${rich.title}. ${rich.excerpt} (coding, ${rich.difficulty}, 2026-02-28, No. 2, tag-one, tag-two, ${rich.runtimes.join(', ')}, ${address}`;
