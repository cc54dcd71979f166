import { Script } from 'node:vm';
import { succeeds } from '../../lib/errors.ts';
import { plural } from '../../lib/text.ts';
import {
  type Check,
  type CheckKind,
  type CheckValues,
  computed,
  descriptionOf,
  type Result,
  regexCode,
} from '../../schema/evals.ts';

/** Finds what an answer claims to have from its input: quotations and numbers. */

/** The shortest quotation that is looked for. Shorter ones are often labels, such as "unknown". */
const shortestQuotation = 12;

/**
 * Returns the quotations of an answer: texts of a line between double quotes, straight or curly. An ellipsis separates
 * two quotations, since it marks text that was left out.
 */
function quotationsIn(answer: string): string[] {
  return [...answer.matchAll(/"([^"\n]+)"|[“„]([^“”„\n]+)[“”]|«([^«»\n]+)»/g)]
    .flatMap(([, straight, curly, angled]) => (straight ?? curly ?? angled ?? '').split(/\[?(?:\.{3}|…)\]?/))
    .map((quotation) => quotation.trim().replace(/[.,;:!?]{1,3}$/, ''))
    .filter((quotation) => quotation.length >= shortestQuotation);
}

/** A text in which white space and the form of quotes make no difference. */
function comparable(text: string): string {
  return text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’‚]/g, "'")
    .replaceAll('\\|', '|')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Returns the numbers of a text, each in a form for comparison: `1,240.50` becomes `1240.5`. Digits in a word such as C3
 * are left out. Dates and times are several numbers.
 */
function numbersIn(text: string): string[] {
  return (text.match(/(?<![\p{L}\p{N}_.]|[\p{L}_]-)(?:\.\d+|\d+(?:[.,]\d+)*)/gu) ?? []).map(plainNumber);
}

/** The number of a list entry, or of a heading. */
const listNumber = /^[ \t]*(?:#{1,6} )?(?:\*\*)?\d+[.)](?=[ \t])/gm;

/** Returns the form for comparison of a number. */
function plainNumber(number: string): string {
  const digits = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(number) ? number.replaceAll(',', '') : number;
  return /^\d*(?:\.\d+)?$/.test(digits) ? String(Number(digits)) : digits;
}

/** The failure of a regular expression that takes too long. */
export const tooSlow = 'The regular expression took more than half a second.';

/** Grades an answer, as `gradeEach` does. */
export function grade(checks: readonly Check[], answer: string, input: string): Result[] {
  return gradeEach(checks, [answer], input)[0] ?? [];
}

/**
 * Grades answers to one input, without a network or a model, and returns the results of each. White space around an answer
 * does not count. After a regular expression that takes too long, no other one is tried.
 */
export function gradeEach(checks: readonly Check[], answers: readonly string[], input: string): Result[][] {
  const texts = answers.map((answer) => answer.trim());
  const described = checks.map((check) => {
    const lines = check['matching-lines'];
    const source = check.regex ?? check['not-regex'] ?? (lines && perLine + lines.regex);
    return { check, source, description: descriptionOf(check) };
  });
  const matched = matches(
    described.flatMap(({ source }) => source ?? []),
    texts,
  );
  return texts.map((answer, index) =>
    described.map(({ check, source, description }) => {
      const { kind } = description;
      const match = (source !== undefined && matched[index]?.get(source)) || false;
      const failure =
        match === 'slow' ? tooSlow : (graders[kind] as Grader<unknown>)(check[kind], { answer, input, match });
      return { ...description, failure };
    }),
  );
}

interface Subject {
  answer: string;
  input: string;
  /** Whether the answer matches the regular expression of the check, or how many of its lines do. */
  match: boolean | number;
}

/** Says what is wrong with an answer, or returns null. */
type Grader<Value> = (value: Value, subject: Subject) => string | null;

const graders: { [Kind in CheckKind]: Grader<CheckValues[Kind]> } = {
  equals: (text, { answer }) => unless(answer === text.trim(), 'The answer is a different text.'),
  contains: (text, { answer }) => lacking([text], answer),
  icontains: (text, { answer }) => lacking([text], answer, lower),
  'contains-all': (texts, { answer }) => lacking(texts, answer),
  'icontains-all': (texts, { answer }) => lacking(texts, answer, lower),
  'contains-any': (texts, { answer }) => unless(present(texts, answer).length > 0, 'It contains none of them.'),
  'icontains-any': (texts, { answer }) => unless(present(texts, answer, lower).length > 0, 'It contains none of them.'),
  'starts-with': (text, { answer }) => unless(answer.startsWith(text), `It starts with ${quoted(answer)}.`),
  regex: (_, { match }) => unless(match !== false, 'Nothing in it matches.'),
  'is-json': (_, { answer }) => (succeeds(() => JSON.parse(answer)) ? null : 'It is not JSON.'),
  'word-count': (range, { answer }) => outside(range, answer.match(/\S+/g)?.length ?? 0, 'word'),
  'not-equals': (text, { answer }) => unless(answer !== text.trim(), 'It is exactly this text.'),
  'not-contains': (text, { answer }) => containing([text], answer),
  'not-icontains': (text, { answer }) => containing([text], answer, lower),
  'not-contains-any': (texts, { answer }) => containing(texts, answer),
  'not-icontains-any': (texts, { answer }) => containing(texts, answer, lower),
  'not-starts-with': (text, { answer }) => unless(!answer.startsWith(text), 'It starts with this text.'),
  'not-regex': (_, { match }) => unless(match === false, 'A part of it matches.'),
  'line-count': (range, { answer }) =>
    outside(range, answer.split('\n').filter((line) => line.trim() !== '').length, 'line'),
  headings: (headings, { answer }) => missingHeading(headings, answer),
  'table-columns': (columns, { answer }) => otherTable(columns, answer),
  'quotes-in-input': (options, { answer, input }) => {
    const { min = 0, allow = [] } = options === true ? {} : options;
    const quotations = quotationsIn(answer);
    const source = comparable([input, ...allow].join('\n'));
    const invented = quotations.filter((quotation) => !source.includes(comparable(quotation)));
    if (invented.length > 0) return `Not in the input: ${listed(invented)}.`;
    return unless(quotations.length >= min, `It has ${plural(quotations.length, 'quotation')}.`);
  },
  'numbers-in-input': (options, { answer, input }) => {
    const { upTo = -1, allow = [] } = options === true ? {} : options;
    const allowed = new Set([...numbersIn(input), ...allow.map((number) => plainNumber(String(number)))]);
    const small = (number: string) => /^\d+$/.test(number) && Number(number) <= upTo;
    const claimed = [...new Set(numbersIn(answer.replace(listNumber, '')))];
    const invented = claimed.filter((number) => !allowed.has(number) && !small(number));
    return unless(invented.length === 0, `Not in the input: ${invented.slice(0, 10).join(', ')}.`);
  },
  'last-line': (texts, { answer }) => {
    const last = answer.split('\n').at(-1) ?? '';
    const isExpected = texts.some((text) => last.startsWith(text));
    return unless(isExpected, `The last line is ${quoted(last)}.`);
  },
  'lines-in-order': (texts, { answer }) => {
    let from = 0;
    const lines = lower(answer).split('\n');
    const late = texts.find((text) => {
      const at = lines.findIndex((line, index) => index >= from && line.includes(lower(text)));
      from = at + 1;
      return at === -1;
    });
    return unless(late === undefined, `No line with ${quoted(late ?? '')} comes after the others.`);
  },
  'matching-lines': (range, { match }) => outside(range, Number(match), 'such line'),
  'computed-number': ({ after, is, within = 0 }, { answer }) => {
    const expected = computed(String(is)) ?? Number.NaN;
    const label = lower(after);
    const own = lower(answer)
      .split('\n')
      .filter((line) => line.includes(label));
    const lines = own.map((line) => numbersIn(line.slice(line.indexOf(label) + label.length).replaceAll('−', '-')));
    // Calculations with decimal fractions are not exact, but a cent in a billion counts.
    const tolerance = within + Math.max(1e-9, 1e-12 * Math.abs(expected));
    const isRight = (number: string) => Math.abs(Number(number) - Math.abs(expected)) <= tolerance;
    if (lines.length === 0) return `No line has ${quoted(after)}.`;
    const shown = lines.flat().slice(0, 5).join(', ') || 'missing';
    return unless(lines.flat().some(isRight), `It has to be ${Number(expected.toFixed(6))}, and it is ${shown}.`);
  },
  'table-cell': ({ row, column, says, never }, { answer }) => {
    const [cell] = tablesIn(answer).flatMap(({ rows, headers }) => {
      const columnOf = (header: number) => (rows[header] ?? []).map(plain).indexOf(plain(column));
      // The rows below a later header are below the first one, too.
      const header = headers.find((at) => columnOf(at) !== -1);
      const below = header === undefined ? [] : rows.slice(header + 2);
      const own = below.find((cells) => cells.some((cell) => plain(cell).includes(plain(row))));
      return header === undefined || own === undefined ? [] : [own[columnOf(header)] ?? ''];
    });
    if (cell === undefined) return `No table has a cell in the row ${quoted(row)} and the column ${quoted(column)}.`;
    return wordings([cell], says, never);
  },
  says: ({ about, accept, never }, { answer }) => {
    const lines = answer.split('\n').filter((line) => present(about, line, lower).length > 0);
    return lines.length === 0 ? `No line is about ${listed(about)}.` : wordings(lines, accept, never);
  },
};

/** Whether one of the texts has an accepted wording, and none has a forbidden one, in upper or lower case. */
function wordings(texts: readonly string[], accept?: readonly string[], never: readonly string[] = []): string | null {
  const isAccepted = accept === undefined || texts.some((text) => present(accept, text, lower).length > 0);
  if (!isAccepted) return `It says ${listed(texts)}.`;
  return containing(never, texts.join('\n'), lower);
}

function unless(passed: boolean, failure: string): string | null {
  return passed ? null : failure;
}

const same = (text: string) => text;
const lower = (text: string) => text.toLowerCase();

function present(texts: readonly string[], answer: string, form = same): string[] {
  return texts.filter((text) => form(answer).includes(form(text)));
}

function lacking(texts: readonly string[], answer: string, form = same): string | null {
  const missing = texts.filter((text) => !form(answer).includes(form(text)));
  return unless(missing.length === 0, `It does not contain ${listed(missing)}.`);
}

function containing(texts: readonly string[], answer: string, form = same): string | null {
  const forbidden = present(texts, answer, form);
  return unless(forbidden.length === 0, `It contains ${listed(forbidden)}.`);
}

function outside({ min, max }: { min?: number | undefined; max?: number | undefined }, count: number, unit: string) {
  return unless(count >= (min ?? 0) && count <= (max ?? Number.POSITIVE_INFINITY), `It has ${plural(count, unit)}.`);
}

/** Compares headings, ignoring Markdown, a number in front, a colon at the end, and case. */
function missingHeading(headings: readonly string[], answer: string): string | null {
  // A number in front of a heading makes no difference, but in a table, "3 May" is not "4 May".
  const unnumbered = (line: string) => plain(line).replace(/^\d+[.)]? /, '');
  const lines = answer.split('\n').map(unnumbered);
  let from = 0;
  for (const heading of headings) {
    const at = lines.indexOf(unnumbered(heading), from);
    const early = lines.includes(unnumbered(heading));
    if (at === -1) return `The heading ${quoted(heading)} is ${early ? 'in the wrong order' : 'missing'}.`;
    from = at + 1;
  }
  return null;
}

function plain(line: string): string {
  return line
    .trim()
    .replace(/^#{1,6}\s/, '')
    .replace(/[*_`]/g, '')
    .replace(/:$/, '')
    .trim()
    .toLowerCase();
}

function otherTable(columns: readonly string[], answer: string): string | null {
  const headers = tablesIn(answer).flatMap(({ rows, headers }) => headers.map((at) => rows[at] ?? []));
  const expected = columns.map(plain).join('|');
  if (headers.some((header) => header.map(plain).join('|') === expected)) return null;
  return headers[0] === undefined ? 'It has no table.' : `The columns are ${headers[0].join(', ')}.`;
}

/** The lines of an answer that have vertical bars and follow each other, as cells, and which of them are headers of tables. */
function tablesIn(answer: string): { rows: string[][]; headers: number[] }[] {
  const blocks: string[][] = [[]];
  for (const line of answer.split('\n'))
    if (line.includes('|')) blocks.at(-1)?.push(line.trim());
    else blocks.push([]);
  const headersOf = (lines: string[]) => [...lines.keys()].filter((at) => isRuler(lines[at + 1] ?? ''));
  return blocks.map((lines) => ({ rows: lines.map(cells), headers: headersOf(lines) }));
}

/** Whether a line is the one below the header of a Markdown table, such as `|---|:-:|`. */
function isRuler(line: string): boolean {
  return /^[\s:|-]+$/.test(line) && line.includes('-') && line.includes('|');
}

/** The cells of a row. A vertical bar after a backslash is part of a cell. */
function cells(row: string): string[] {
  return row
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function listed(texts: readonly string[]): string {
  const more = texts.length > 3 ? ` and ${texts.length - 3} more` : '';
  return `${texts.slice(0, 3).map(quoted).join(', ')}${more}`;
}

function quoted(text: string): string {
  const [line = ''] = text.split('\n');
  return `"${line.length > 80 ? `${line.slice(0, 77)}…` : line}"`;
}

/** How long a regular expression may look for a match in a text, in milliseconds. */
const limitMs = 500;
/** How long to wait for it on a machine that is busy with other work, in milliseconds. */
const busyMs = 32_000;

/** Whether a part of a text matches, or how many lines do; `slow` if finding out takes too long. */
type Match = boolean | number | 'slow';

/** Marks a regular expression whose matching lines are counted. No regular expression can contain it. */
const perLine = '\0';

/**
 * Tells for each text, and each regular expression, whether some part of the text matches. Those after one that takes too long
 * are not tried.
 */
function matches(sources: readonly string[], texts: readonly string[]): Map<string, Match>[] {
  // One script for all: the time limit of each costs a thread, about a millisecond.
  const together = tryAll(sources, texts);
  const retries = texts.length > 1;
  // One that was tried alone gets no second attempt.
  const isAlone = sources.length === 1;
  let isSlow = false;
  return texts.map((text, index) => {
    const bySource = new Map<string, Match>();
    const own = together?.[index] ?? (isSlow || !retries ? undefined : tryAll(sources, [text])?.[0]);
    for (const [at, source] of sources.entries()) {
      const match = own?.[at] ?? (isSlow || isAlone ? undefined : tryAll([source], [text])?.[0]?.[0]) ?? 'slow';
      isSlow ||= match === 'slow';
      bySource.set(source, match);
    }
    return bySource;
  });
}

/** Returns null if it takes too long. A regular expression can run for years, and only a script can be stopped within one. */
function tryAll(sources: readonly string[], texts: readonly string[]): Match[][] | null {
  if (sources.length === 0) return texts.map(() => []);
  const tests = sources.map((source) =>
    source.startsWith(perLine)
      ? `lines.filter((line) => ${regexCode(source.slice(perLine.length))}.test(line)).length`
      : `${regexCode(source)}.test(text)`,
  );
  const script = new Script(
    `${JSON.stringify(texts)}.map((text) => { const lines = text.split('\\n'); return [${tests}]; })`,
  );
  for (let timeout = limitMs; ; ) {
    const before = process.cpuUsage();
    try {
      return script.runInThisContext({ timeout }) as Match[][];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
    // The time that passed says nothing if other processes had the processor. Then it is tried once more, with enough time.
    const { user, system } = process.cpuUsage(before);
    const usedMs = Math.max(1, (user + system) / 1000);
    if (usedMs > 0.9 * limitMs || timeout === busyMs) return null;
    timeout = Math.min(Math.ceil((timeout * limitMs) / usedMs), busyMs);
  }
}
