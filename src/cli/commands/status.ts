import type { Status } from '../../content/schedule.ts';
import { addDays } from '../../lib/calendar.ts';
import { plural, visible } from '../../lib/text.ts';
import { painter } from '../../schema/diagnostics/report.ts';
import { dateNames } from '../../site/site.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type CommonFlags, openContent } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'> {
  all?: boolean;
  calendar?: boolean;
}

export function addStatus(program: CatalogCommand, terminal: Console): void {
  program
    .command('status')
    .description('show the schedule: published, due and scheduled agents, free dates, drafts, errors')
    .share('cwd', 'today')
    .option('--calendar', 'show the schedule as months, with gaps and free days')
    .option('--all', 'show all published agents, not only the newest ten; with --calendar, all months')
    .formats('pretty', 'json')
    .explain(
      '\nIn the calendar, a gap is a free day before a scheduled agent, and a missed day passed without an agent. Drafts are not\n' +
        'scheduled, so there are no gaps before them.\n' +
        '\nExamples:\n  $ catalog status\n  $ catalog status --calendar\n  $ catalog status --today 2026-12-24\n  $ catalog status --format json\n',
    )
    .action((flags: Flags) => showStatus(flags, terminal));
}

async function showStatus(flags: Flags, terminal: Console): Promise<void> {
  const { status, queueText, shortQueue } = await import('../../content/schedule.ts');
  const { installHints, installSource } = await import('../../text/install-ways.ts');
  const { diagnosticsOf } = await import('../../build/validate.ts');
  const { cwd, settings, today, content } = await openContent(flags, 'all');

  const problems = diagnosticsOf(cwd, content, settings, { today });
  const result = { ...status(content, { today, settings, problems }), hints: installHints(installSource(settings)) };
  if (flags.format === 'json') return terminal.printJson(result);
  const all = flags.all === true;
  if (flags.calendar === true) return terminal.print(calendarTable(result, { all, color: terminal.colorData }));
  const width = process.stdout.isTTY === true ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const queue = [queueText(result), ...(result.queueLow ? [`Warning: ${shortQueue(settings)}`] : [])];
  terminal.print(statusTable(result, { width, all, queue }));
}

interface TableOptions {
  /** Columns of a line; Infinity: do not shorten. */
  width: number;
  /** Whether to show published agents before the newest ten. */
  all: boolean;
  /** The lines of the table about the queue. */
  queue: readonly string[];
}

const publishedShown = 10;

/** The schedule for people: a block of aligned lines for each part that is not empty. */
function statusTable(status: Status & { hints: readonly string[] }, { width, all, queue }: TableOptions): string {
  const { published, due, coming, drafts, withdrawn, deleted, faulty } = status;
  const shown = all ? published : published.slice(-publishedShown);
  const earlier = published.length - shown.length;
  const counted = faulty.map((row) => ({ ...row, title: plural(row.errors, 'error'), errors: 0 }));
  /** A block with a heading and a count; empty if it has no rows. */
  const part = <Item extends Row>(head: string, rows: readonly Item[], mark: (row: Item) => string): string[] =>
    rows.length === 0 ? [] : [`${head}: ${rows.length}`, ...table(rows, mark, width)];
  const none = withdrawn.length + deleted.length === 0 ? 'nothing yet' : 'nothing';
  const blocks = [
    [`Schedule on ${status.today} (${status.timezone})`],
    [
      `Published: ${published.length === 0 ? none : published.length}`,
      ...(earlier === 0 ? [] : [`  ${earlier} earlier: see them with --all`]),
      ...table(shown, ({ issue }) => `#${issue}`, width),
    ],
    part('Due now (with the numbers they will get)', due, ({ issue }) => `#${issue}`),
    [
      `Scheduled: ${coming.length === 0 ? 'nothing' : coming.length}`,
      ...table(coming, ({ daysLeft }) => `in ${plural(daysLeft, 'day')}`, width),
      ...queue.map((line) => `  ${line}`),
    ],
    [
      `Free dates in the 14 days from today: ${status.freeDates.length === 0 ? 'none' : status.freeDates.length}`,
      ...wrapped(status.freeDates, Math.min(width, 80), '  ', '  '),
    ],
    part('Drafts', drafts, () => ''),
    part('Withdrawn', withdrawn, ({ issue }) => (issue === null ? '' : `#${issue}`)),
    part('Deleted', deleted, ({ issue }) => `#${issue}`),
    part('With errors (validate shows them)', counted, ({ state }) => state),
    status.hints.length === 0
      ? []
      : ['Hints', ...status.hints.flatMap((hint) => wrapped(hint.split(' '), Math.min(width, 80), ' ', '  '))],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

interface Row {
  date: string | null;
  slug: string;
  title: string | null;
  errors?: number;
}

/** Rows of mark, date, slug and title, aligned. Titles are shortened to the width. */
function table<Item extends Row>(rows: readonly Item[], mark: (row: Item) => string, width: number): string[] {
  const marks = rows.map(mark);
  // Folder names may contain any character, also a line break.
  const slugs = rows.map(({ slug }) => visible(slug));
  const markWidth = Math.max(0, ...marks.map((text) => text.length));
  const numeric = marks.every((text) => text.startsWith('#') || text === '');
  const room = width - 2 - (markWidth === 0 ? 0 : markWidth + 2) - 'YYYY-MM-DD'.length - 2;
  const slugWidth = Math.min(Math.max(0, ...slugs.map(columns)), Math.max(12, room));
  return rows.map(({ date, title, errors = 0 }, index) => {
    const own = marks[index] ?? '';
    const name = cut(visible(title ?? ''), room - slugWidth - 2);
    const cells = [
      ...(markWidth === 0 ? [] : [numeric ? own.padStart(markWidth) : own.padEnd(markWidth)]),
      date ?? 'no date   ',
      pad(cut(slugs[index] ?? '', slugWidth), slugWidth),
      errors > 0 ? cut(`(${plural(errors, 'error')}) ${name}`, room - slugWidth - 2) : name,
    ];
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

/** Words on as many lines as needed, each of at most `width` columns. */
function wrapped(words: readonly string[], width: number, between: string, indent = ''): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + between.length + word.length <= width) {
      lines[lines.length - 1] = last + between + word;
    } else lines.push(indent + word);
  }
  return lines;
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

/** Every kind of day, in the order of the legend: the sign after the day, and its style. */
const kinds = {
  published: ['#', 'bold'],
  scheduled: ['+', null],
  draft: ['~', null],
  'with errors': ['!', 'red'],
  withdrawn: ['x', 'dim'],
  // An earlier commit deleted the published agent.
  deleted: ['=', 'dim'],
  // A day that passed without an agent.
  missed: ['-', 'dim'],
  // A free day before a scheduled agent. Drafts are not scheduled.
  gap: ['?', 'yellow'],
  free: ['.', null],
} as const;

type Kind = keyof typeof kinds;
const allKinds = Object.keys(kinds) as Kind[];

/**
 * The schedule as months, two beside each other in 60 columns: from the month before today's, or with `all` from the first
 * agent's, to the month after the last agent.
 */
export function calendarTable(status: Status, { all, color }: { all: boolean; color: boolean }): string {
  const paint = painter(color);
  const { today, timezone, published, due, coming, drafts, withdrawn, deleted, faulty } = status;
  const dates = daysOf([...published, ...due, ...coming, ...drafts, ...withdrawn, ...deleted, ...faulty]);
  const [first, last] = [dates[0] ?? today, dates.at(-1) ?? today];
  const kindOf = kindsOf(status);
  const recent = monthAfter(today, -1);
  const earlier = !all && monthOf(first) < recent;
  const end = monthAfter(last > today ? last : today, 1);
  const months: string[] = [];
  for (let month = earlier ? recent : monthOf(first); month <= end; month = monthAfter(month, 1)) months.push(month);

  const cell = (day: string) => {
    const kind = kindOf(day);
    const [sign, style] = kind === null ? [' ', null] : kinds[kind];
    const text = `${day === today ? '>' : ' '}${day.slice(8).replace(/^0/, ' ')}${sign}`;
    return style === null ? text : paint(style, text);
  };
  const pairs = months.flatMap((_, index) => (index % 2 === 0 ? [months.slice(index, index + 2)] : []));
  const blocks = pairs.map((pair) => beside(pair.map((month) => monthBlock(month, cell, kindOf))));
  const legend = ['> today', ...allKinds.map((kind) => `${kinds[kind][0]} ${kind}`)];
  return [
    `Schedule on ${today} (${timezone})${earlier ? '; earlier months with --all' : ''}`,
    ...blocks,
    `${legend.slice(0, 5).join('   ')}\n${legend.slice(5).join('   ')}\n`,
  ].join('\n\n');
}

/** The days that agents have, in order. */
function daysOf(agents: readonly { date: string | null }[]): string[] {
  return agents.flatMap(({ date }) => (date === null ? [] : [date])).sort();
}

/** Returns what kind of day a day is; null before the first agent that is not a draft. */
function kindsOf(status: Status): (day: string) => Kind | null {
  const { today, published, due, coming, drafts, withdrawn, deleted, faulty } = status;
  const kindByDay = new Map<string | null, Kind>();
  const add = (kind: Kind, entries: readonly { date: string | null; errors?: number }[]) => {
    for (const { date, errors = 0 } of entries)
      kindByDay.set(date, errors > 0 && kind !== 'published' ? 'with errors' : kind);
  };
  add('with errors', faulty);
  add('withdrawn', withdrawn);
  add('deleted', deleted);
  add('draft', drafts);
  add('scheduled', [...due, ...coming]);
  add('published', published);
  const [numbered, scheduled] = [daysOf([...published, ...withdrawn, ...deleted]), daysOf([...due, ...coming])];
  const [lastNumbered = '', lastScheduled = ''] = [numbered.at(-1), scheduled.at(-1)];
  const undrafted = faulty.filter(({ state }) => state !== 'draft');
  const [first = today] = daysOf([...published, ...withdrawn, ...deleted, ...due, ...coming, ...undrafted]);
  return (day) => {
    const kind = kindByDay.get(day);
    if (kind !== undefined) return kind;
    if (day < today || day < lastNumbered) return day > first ? 'missed' : null;
    return day < lastScheduled ? 'gap' : 'free';
  };
}

/** A month of lines with 27 columns each: its name, the weekdays, its weeks from Monday on, and how many days of each kind it has. */
function monthBlock(month: string, cell: (day: string) => string, kindOf: (day: string) => Kind | null): string[] {
  const start = `${month}-01`;
  const days: string[] = [];
  for (let day = start; monthOf(day) === month; day = addDays(day, 1)) days.push(day);
  const cells = [...Array<string>((new Date(start).getUTCDay() + 6) % 7).fill('    '), ...days.map(cell)];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => {
    const row = cells.slice(week * 7, week * 7 + 7);
    return [...row, ...Array<string>(7 - row.length).fill('    ')].join('');
  });
  const counts = allKinds
    .map((kind) => [kind, days.filter((day) => kindOf(day) === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count], index, all) => `${kind} ${count}${index === all.length - 1 ? '' : ','}`);
  return [
    dateNames('en').monthName(month).padEnd(width),
    ' Mo  Tu  We  Th  Fr  Sa  Su ',
    ...weeks,
    ...wrapped(counts, width, ' ').map((line) => line.padEnd(width)),
  ];
}

const width = 28;

/** Joins blocks line by line; the lines of all but the last one have `width` columns. */
function beside(blocks: readonly string[][]): string {
  const height = Math.max(...blocks.map((block) => block.length));
  const rows = Array.from({ length: height }, (_, row) =>
    blocks
      .map((block) => block[row] ?? ' '.repeat(width))
      .join('    ')
      .trimEnd(),
  );
  return rows.join('\n');
}

function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** The month that is `count` months after the month of a day. */
function monthAfter(day: string, count: number): string {
  const date = new Date(`${monthOf(day)}-01`);
  date.setUTCMonth(date.getUTCMonth() + count);
  return date.toISOString().slice(0, 7);
}
