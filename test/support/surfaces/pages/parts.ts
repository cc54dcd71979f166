import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { newer, older, publication, rich } from '../../rich-catalog.ts';
import { coding, writing } from '../known.ts';
import type { Expected } from '../reader.ts';

/** Parts that several pages have. */

const { categories } = publication;

/** The version of the form: what `sha256sum` prints of its template. */
const formVersion = createHash('sha256')
  .update(readFileSync('templates/partials/subscribe.hbs'))
  .digest('hex')
  .slice(0, 12);

/** The form that subscribes. */
export const subscribe: Expected = {
  'form.subscribe @action': 'https://runtime.example/run/api/subscribe',
  'form.subscribe input[type=hidden] @name': ['list', 'form'],
  'form.subscribe input[type=hidden] @value': ['daily', formVersion],
  'form.subscribe label': ['Your email address', 'Leave this empty'],
  'form.subscribe label @for': ['subscribe-email', 'subscribe-website'],
  'form.subscribe .honeypot input @id': 'subscribe-website',
  'form.subscribe .honeypot @hidden': 'hidden',
  'form.subscribe .honeypot input @tabindex': '-1',
  'form.subscribe .honeypot input @autocomplete': 'off',
  'form.subscribe input[type=email][required] @autocomplete': 'email',
  'form.subscribe .quiet': 'An email may ask you to confirm your address first. Every email has a link to unsubscribe.',
  'form.subscribe button': 'Send me one agent a day',
};

/** The agents as lists show them. */
export const agents = {
  rich: { ...rich, label: coding, accent: '1', day: 'February 28, 2026' },
  older: { ...older, label: writing, accent: '2', day: 'January 31, 2026' },
  newer: { ...newer, label: coding, accent: '1', day: 'March 2, 2026' },
};
export type Listed = (typeof agents)[keyof typeof agents];

/** A list of agents with number, date, category, title and excerpt. */
export function entries(where: string, listed: Listed[]): Expected {
  const all = (text: (agent: Listed) => string) => listed.map(text);
  return {
    [`${where} .entry @data-accent`]: all(({ accent }) => accent),
    [`${where} .entry .number`]: all(({ issue }) => `No. ${issue}`),
    [`${where} .entry time`]: all(({ day }) => day),
    [`${where} .entry time @datetime`]: all(({ date }) => date),
    [`${where} .entry .kicker`]: all(({ label }) => label),
    [`${where} .entry h3`]: all(({ title }) => title),
    [`${where} .entry h3 a @href`]: all(({ slug }) => `/base/agents/${slug}`),
    [`${where} .entry .excerpt`]: all(({ excerpt }) => excerpt),
  };
}

/** The filters of the search. */
export const filters: Expected = {
  '.filters label': ['Category', 'Difficulty', 'Made for', 'Tag'],
  '.filters label @for': ['filter-category', 'filter-difficulty', 'filter-runtime', 'filter-tag'],
  '.filters select @id': ['filter-category', 'filter-difficulty', 'filter-runtime', 'filter-tag'],
  '.filters select @form': ['find', 'find', 'find', 'find'],
  '.filters select @name': ['category', 'difficulty', 'runtime', 'tag'],
  '.filters select[name=category] option': ['All categories', coding, writing],
  '.filters select[name=category] option @value': ['', 'coding', 'writing'],
  '.filters select[name=difficulty] option': ['Any difficulty', rich.difficulty, 'easy'],
  '.filters select[name=difficulty] option @value': ['', rich.difficulty, 'easy'],
  '.filters select[name=runtime] option': ['Any assistant', ...rich.runtimes, 'Claude'],
  '.filters select[name=runtime] option @value': ['', ...rich.runtimes, 'Claude'],
  '.filters select[name=tag] option': ['Any tag', 'other-tag', 'tag-one', 'tag-two'],
  '.filters select[name=tag] option @value': ['', 'other-tag', 'tag-one', 'tag-two'],
};

/** Categories with their counts, as home and the archive have them. */
export const subjects: Expected = {
  '.subjects li': [`${coding} 2${categories.coding.description}`, `${writing} 1${categories.writing.description}`],
  '.subjects li @data-accent': ['1', '2'],
  '.subjects a @href': ['/base/categories/coding', '/base/categories/writing'],
};

/** The ways to install, by their names. Those in `plain` have no command or address to copy. */
export function ways(all: readonly string[], plain: readonly string[]): Expected {
  const names = all.filter((name) => !plain.includes(name));
  const [ids, allIds] = [names, all].map((list) =>
    list.map((name) => `install-${name.toLowerCase().replaceAll(' ', '-')}`),
  ) as [string[], string[]];
  return {
    '.install h3': all,
    '.install @data-tabs': 'Assistants',
    '.install > div @id': allIds.map((id) => `${id}-way`),
    '.install pre @id': ids,
    '.install pre @aria-label': names.map((name) => `To paste, for ${name}`),
    '.install .copy @data-copy': ids,
  };
}
