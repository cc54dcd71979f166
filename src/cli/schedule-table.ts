import type { Status } from '../catalog/schedule.ts';
import { plural } from '../diagnostics/report.ts';
import type { Settings } from '../schema/settings.ts';

export interface TableOptions {
  /** How many columns a line may have; Infinity where nothing is cut. */
  width: number;
  /** Also the published agents before the newest ten. */
  all: boolean;
  /** How many days the settings want filled. */
  wanted: number;
}

const publishedShown = 10;

/** The schedule for people: a block of aligned lines for each part that has something to say. */
export function statusTable(status: Status, { width, all, wanted }: TableOptions): string {
  const { published, due, coming, drafts, withdrawn, faulty } = status;
  const shown = all ? published : published.slice(-publishedShown);
  const earlier = published.length - shown.length;
  const blocks = [
    [`Schedule on ${status.today} (${status.timezone})`],
    [
      `Published: ${published.length === 0 ? 'nothing yet' : published.length}`,
      ...(earlier === 0 ? [] : [`  ${plural(earlier, 'earlier one')}: see all with --all`]),
      ...table(shown, ({ issue }) => `#${issue}`, width),
    ],
    part('Due now, with the numbers they get', due, ({ issue }) => `#${issue}`, width),
    [
      `Coming: ${coming.length === 0 ? 'nothing' : coming.length}`,
      ...table(coming, ({ daysLeft }) => `in ${plural(daysLeft, 'day')}`, width),
      `  ${plural(status.queueDays, 'day')} from tomorrow on ${status.queueDays === 1 ? 'is' : 'are'} filled without a gap.`,
      ...(status.queueLow ? [`  Warning: the settings ask for ${plural(wanted, 'day')} (queueWarningDays).`] : []),
    ],
    [
      `Free dates in the 14 days from today: ${status.freeDates.length === 0 ? 'none' : status.freeDates.length}`,
      ...wrapped(status.freeDates, width),
    ],
    part('Drafts', drafts, () => '', width),
    part('Withdrawn', withdrawn, ({ issue }) => (issue === null ? '' : `#${issue}`), width),
    part(
      'With errors, which catalog validate explains',
      faulty.map((row) => ({ ...row, title: plural(row.errors, 'error'), errors: 0 })),
      ({ standing }) => standing,
      width,
    ),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** What to say when the queue runs dry: how long it lasts, how long it should, and what to do. */
export function queueWarning(
  { queueDays }: Pick<Status, 'queueDays'>,
  { queueWarningDays }: Pick<Settings, 'queueWarningDays'>,
): string {
  const filled =
    queueDays === 0 ? 'No agent is ready for tomorrow' : `Agents are ready for ${plural(queueDays, 'day')} only`;
  return `warning: ${filled}; the settings ask for ${plural(queueWarningDays, 'day')} (queueWarningDays). Start the next one with catalog new.`;
}

interface Row {
  date: string | null;
  slug: string;
  title: string | null;
  errors?: number;
}

/** A block with a head and its count, or nothing where it has no rows. */
function part<Item extends Row>(
  head: string,
  rows: readonly Item[],
  mark: (row: Item) => string,
  width: number,
): string[] {
  return rows.length === 0 ? [] : [`${head}: ${rows.length}`, ...table(rows, mark, width)];
}

/** Lines of: what `mark` gives, date, slug, title; the marks are aligned, and the title gives way when it is narrow. */
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

/** Short words in as many lines as they need. */
function wrapped(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 2 + word.length <= Math.min(width, 80)) {
      lines[lines.length - 1] = `${last}  ${word}`;
    } else lines.push(`  ${word}`);
  }
  return lines;
}

/** The names of folders may hold anything: nothing in them may steer the terminal. */
function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/** As much of a text as fits into `width` columns, with an ellipsis where something is left out. */
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

/** How many columns of a terminal a text takes: East Asian characters and emoji take two. */
function columns(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length;
  let count = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) count += wide.test(segment) ? 2 : 1;
  return count;
}
