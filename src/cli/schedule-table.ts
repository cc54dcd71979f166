import { queueText, type Status } from '../catalog/schedule.ts';
import { plural } from '../plural.ts';
import type { Settings } from '../schema/settings.ts';

export interface TableOptions {
  /** Columns of a line; Infinity: do not shorten. */
  width: number;
  /** Whether to show published agents before the newest ten. */
  all: boolean;
  /** The number of days that the settings require. */
  wanted: number;
}

const publishedShown = 10;

/** The schedule for people: a block of aligned lines for each part that is not empty. */
export function statusTable(
  status: Status & { hints: readonly string[] },
  { width, all, wanted }: TableOptions,
): string {
  const { published, due, coming, drafts, withdrawn, deleted, faulty } = status;
  const shown = all ? published : published.slice(-publishedShown);
  const earlier = published.length - shown.length;
  const none = withdrawn.length + deleted.length === 0 ? 'nothing yet' : 'nothing';
  const blocks = [
    [`Schedule on ${status.today} (${status.timezone})`],
    [
      `Published: ${published.length === 0 ? none : published.length}`,
      ...(earlier === 0 ? [] : [`  ${earlier} earlier: see them with --all`]),
      ...table(shown, ({ issue }) => `#${issue}`, width),
    ],
    part('Due now (with the numbers they will get)', due, ({ issue }) => `#${issue}`, width),
    [
      `Scheduled: ${coming.length === 0 ? 'nothing' : coming.length}`,
      ...table(coming, ({ daysLeft }) => `in ${plural(daysLeft, 'day')}`, width),
      `  ${queueText(status)}`,
      ...(status.queueLow ? [`  Warning: ${shortQueue(wanted)}`] : []),
    ],
    [
      `Free dates in the 14 days from today: ${status.freeDates.length === 0 ? 'none' : status.freeDates.length}`,
      ...wrapped(status.freeDates, width),
    ],
    part('Drafts', drafts, () => '', width),
    part('Withdrawn', withdrawn, ({ issue }) => (issue === null ? '' : `#${issue}`), width),
    part('Deleted', deleted, ({ issue }) => `#${issue}`, width),
    part(
      'With errors (see catalog validate)',
      faulty.map((row) => ({ ...row, title: plural(row.errors, 'error'), errors: 0 })),
      ({ state }) => state,
      width,
    ),
    status.hints.length === 0 ? [] : ['Hints', ...status.hints.flatMap((hint) => wrapped(hint.split(' '), width, ' '))],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** The warning that the queue is running low. */
export function queueWarning(
  status: Pick<Status, 'today' | 'queueDays'>,
  { queueWarningDays }: Pick<Settings, 'queueWarningDays'>,
): string {
  return `warning: ${queueText(status)} ${shortQueue(queueWarningDays)} Start an agent with catalog new.`;
}

function shortQueue(wanted: number): string {
  return `The queue is below queueWarningDays (${plural(wanted, 'day')}).`;
}

interface Row {
  date: string | null;
  slug: string;
  title: string | null;
  errors?: number;
}

/** A block with a heading and a count; empty if it has no rows. */
function part<Item extends Row>(
  head: string,
  rows: readonly Item[],
  mark: (row: Item) => string,
  width: number,
): string[] {
  return rows.length === 0 ? [] : [`${head}: ${rows.length}`, ...table(rows, mark, width)];
}

/** Rows of mark, date, slug and title, aligned. Titles are shortened to the width. */
function table<Item extends Row>(rows: readonly Item[], mark: (row: Item) => string, width: number): string[] {
  const marks = rows.map(mark);
  const slugs = rows.map(({ slug }) => clean(slug));
  const markWidth = Math.max(0, ...marks.map((text) => text.length));
  const numeric = marks.every((text) => text.startsWith('#') || text === '');
  const room = width - 2 - (markWidth === 0 ? 0 : markWidth + 2) - 'YYYY-MM-DD'.length - 2;
  const slugWidth = Math.min(Math.max(0, ...slugs.map(columns)), Math.max(12, room));
  return rows.map(({ date, title, errors = 0 }, index) => {
    const own = marks[index] ?? '';
    const name = cut(clean(title ?? ''), room - slugWidth - 2);
    const cells = [
      ...(markWidth === 0 ? [] : [numeric ? own.padStart(markWidth) : own.padEnd(markWidth)]),
      date ?? 'no date   ',
      pad(cut(slugs[index] ?? '', slugWidth), slugWidth),
      errors > 0 ? cut(`(${plural(errors, 'error')}) ${name}`, room - slugWidth - 2) : name,
    ];
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

/** Short words on as many lines as needed. */
function wrapped(words: readonly string[], width: number, between = '  '): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + between.length + word.length <= Math.min(width, 80)) {
      lines[lines.length - 1] = last + between + word;
    } else lines.push(`  ${word}`);
  }
  return lines;
}

/** Folder names may contain any character, so control characters are replaced. */
function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/** Shortens a text to `width` columns, with an ellipsis. */
function cut(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let shown = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (columns(shown) + columns(segment) > width - 1) break;
    shown += segment;
  }
  return shown === '' ? '' : `${shown}…`;
}

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60]/u;

/** The width of a text in columns of a terminal: East Asian characters and emoji take two. */
function columns(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length;
  let count = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) count += wide.test(segment) ? 2 : 1;
  return count;
}
