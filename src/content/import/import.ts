import { isDeepStrictEqual } from 'node:util';
import { OperationError } from '../../lib/errors.ts';
import { maskSecrets } from '../../lib/secrets.ts';
import { type FrontMatterSchema, frontMatterSchema } from '../../schema/agent.ts';
import { isPublishable, promptLicense, publishableLicenses } from '../../schema/documents.ts';
import type { Settings } from '../../schema/settings.ts';
import { slugFrom, titleFrom } from '../../schema/slugs.ts';
import { headingOf, linesOf, type SectionName, sectionNames, sectionsOf } from '../../text/prompt-text.ts';
import { type Calendar, freeDates, plainTitle } from '../check/calendar.ts';
import { agentFiles, defaults, freeSlug, type Origin, writeFolder } from '../new/agent.ts';
import { frontMatterIn } from '../parse/front-matter.ts';
import { parseFolder } from '../parse/parse.ts';
import * as placeholders from '../parse/placeholders.ts';
import { folderOf, maxFileBytes } from '../read.ts';
import { TextIndex } from '../rules/across.ts';
import type { ForeignPrompt, Skipped, Unusable } from './sources.ts';

/** The headings that other formats have for a section. Everything else is left to the editor. */
const headings: Record<SectionName, RegExp> = {
  INPUT: /^inputs?$/,
  RULES: /^rules$/,
  OUTPUT: /^outputs?(?: (?:format|instructions|sections))?$/,
};

/** The reminders for an editor in each section. */
const guidance = placeholders.prompt(null).match(/^\[.*\]$/gm) ?? [];

interface Part {
  section: SectionName | null;
  /** The level of its heading. */
  level: number;
  lines: string[];
}

/**
 * Moves the parts of a text under INPUT, RULES and OUTPUT if their headings match. The rest comes before them, unchanged,
 * except that a line that would read as one of these headings is indented by a space. `inputs` are lines for INPUT. Returns
 * the text and the sections that it had; the others contain guidance. The prompt of an agent stays as it is: its headings
 * may say more, as in `OUTPUT (at most 40 lines)`, and its OUTPUT may have headings.
 */
export function withSections(text: string, inputs: readonly string[] = []) {
  const whole = text.trim();
  const own = sectionsOf(whole).map(({ name, body }) => body.trim() !== '' && name);
  if (inputs.length === 0 && isDeepStrictEqual(own, sectionNames) && linesOf(whole).openFence === null)
    return { text: `${whole}\n`, sections: [...sectionNames] };
  const parts = partsOf(whole);
  const textOf = (name: SectionName | null, first = '') =>
    [first, ...parts.filter(({ section }) => section === name).map(joined)].filter((each) => each !== '').join('\n\n');
  const written = sectionNames.map((name) => textOf(name, name === 'INPUT' ? inputs.join('\n') : ''));
  const bodies = sectionNames.map((name, index) => `${name}\n${written[index] || guidance[index]}`);
  const all = [textOf(null), ...bodies].filter((each) => each !== '');
  return { text: `${all.join('\n\n')}\n`, sections: sectionNames.filter((_, index) => written[index] !== '') };
}

function partsOf(text: string): Part[] {
  const parts: Part[] = [{ section: null, level: 0, lines: [] }];
  const { lines, openFence } = linesOf(text);
  for (const { text: line, fenced } of lines) {
    const last = parts.at(-1) as Part;
    const heading = fenced ? null : readHeading(line);
    const kept = !fenced && headingOf(line) !== undefined ? ` ${line}` : line;
    const tag = fenced ? undefined : /^<\/([\w-]+)>\s*$/.exec(line)?.[1];
    // The end of a tag around a section, such as </rules>, is not part of it.
    const isAround = tag !== undefined && last.section !== null && !last.lines.some((own) => own.includes(`<${tag}`));
    const isBelow = last.section !== null && heading?.section === null && heading.level > last.level;
    if (isAround) parts.push({ section: null, level: 0, lines: [kept] });
    else if (heading === null || isBelow) last.lines.push(kept);
    else if (heading.section === null) parts.push({ ...heading, lines: [kept] });
    else {
      const { section, level, title } = heading;
      // A heading that says more than the name of its section stays as a line.
      const more = title === section.toLowerCase() ? [] : [`${title.charAt(0).toUpperCase()}${title.slice(1)}:`];
      parts.push({ section, level, lines: more });
    }
  }
  const mark = /^ {0,3}(`+|~+)/.exec(openFence?.text ?? '')?.[1];
  // A fence that is never closed would take in the sections after it.
  if (mark !== undefined) parts.at(-1)?.lines.push(mark);
  return parts;
}

/** Reads a line as a heading: of Markdown, or the bare name of a section. */
function readHeading(line: string): { section: SectionName | null; level: number; title: string } | null {
  const [, marks = '', words = ''] = /^(#{1,6}) +(\S.*)$/.exec(line) ?? [];
  const title = (marks === '' ? line : words)
    .replace(/^[*_]+|(?<![\s#:*_])[\s#:*_]+$/g, '')
    .replace(/^[^(]+/, (name) => name.toLowerCase());
  const section = sectionNames.find((name) => headings[name].test(title.replace(/ \(.*\)$/, ''))) ?? null;
  if (marks === '' && (section === null || headingOf(line) === undefined)) return null;
  return { section, level: marks === '' ? 1 : marks.length, title };
}

function joined({ lines }: Part): string {
  // Without the empty lines around it. The first line keeps its indent, which may keep it from being a heading.
  const text = lines
    .join('\n')
    .replace(/^\s*\n/, '')
    .trimEnd();
  // A heading without text below it says nothing.
  return /^(?:In|Out)puts?(?: \w+)?:$/.test(text) ? '' : text;
}

interface ImportOptions {
  cwd: string;
  settings: Settings;
  content: Calendar;
  today: string;
  /** The address that the prompts come from, or null. */
  address: string | null;
  /** The license of prompts that name none, or null. */
  license: string | null;
  category: string;
  /** The most drafts to write. */
  limit: number;
  dryRun: boolean;
}

/** A draft that was made from a prompt. */
interface Draft {
  slug: string;
  title: string;
  date: string;
  where: string;
  license: string;
  /** Whether the license allows publication. If not, the agent has to stay a draft. */
  publishable: boolean;
  /** Remarks for the editor, as sentences. */
  notes: string[];
}

export interface Imported {
  drafts: Draft[];
  /** The slugs of prompts that were imported before. */
  known: string[];
  skipped: Skipped[];
  problems: Unusable[];
  /** Whether there are more prompts than the limit. */
  more: boolean;
}

/**
 * Writes a draft for each prompt that was not imported before. Texts are copied, and missing parts become guidance for
 * the editor. Every text passes the checks of `catalog validate`; a prompt that fails them is not imported.
 *
 * `onDraft` is called with the number of drafts so far. Throws OperationError if a file cannot be written.
 */
export async function importPrompts(
  prompts: AsyncIterable<ForeignPrompt | Skipped | Unusable>,
  options: ImportOptions,
  onDraft: (count: number) => void = () => {},
): Promise<Imported> {
  const result: Imported = { drafts: [], known: [], skipped: [], problems: [], more: false };
  const catalog = new Drafts(options);
  for await (const prompt of prompts) {
    const draft = 'name' in prompt ? catalog.draftOf(prompt) : prompt;
    if (draft === null) result.known.push(slugFrom((prompt as ForeignPrompt).name));
    else if ('reason' in draft) result.skipped.push(draft);
    else if ('problem' in draft) result.problems.push(draft);
    else if (result.drafts.length === options.limit) return { ...result, more: true };
    else {
      catalog.add(draft);
      result.drafts.push(draft.summary);
      onDraft(result.drafts.length);
    }
  }
  return result;
}

interface NewDraft {
  summary: Draft;
  files: Map<string, string>;
}

/** The agents of a catalog and the drafts that are added to them. */
class Drafts {
  readonly #options: ImportOptions;
  readonly #schema: FrontMatterSchema;
  readonly #index = new TextIndex();
  /** The titles of the catalog's agents. Two new drafts with one title also have one slug, which is found first. */
  readonly #titles = new Map<string, string>();
  /** The rows or files that drafts were made from, now or earlier, by slug. */
  readonly #made = new Map<string, string>();
  readonly #folders: ReadonlyMap<string, Calendar['folders'][number]>;
  readonly #nextDate: () => string;
  #date: string;

  constructor(options: ImportOptions) {
    const { content, settings, today } = options;
    this.#options = options;
    this.#schema = frontMatterSchema(settings);
    this.#folders = new Map(content.folders.map((folder) => [folder.slug, folder]));
    this.#nextDate = freeDates(content, today);
    this.#date = this.#nextDate();
    for (const { slug, schedule, texts } of content.folders) {
      this.#index.add(slug, ownText(texts().get('prompt.txt')), 1);
      if (schedule.title !== null) this.#titles.set(plainTitle(schedule.title), slug);
    }
  }

  /** Makes a draft. Returns null if the prompt was imported before, and a reason if it does not become a draft. */
  draftOf(prompt: ForeignPrompt): NewDraft | Skipped | Unusable | null {
    const { where } = prompt;
    const unusable = (problem: string): Unusable => ({ where, problem: maskSecrets(problem) });
    const slug = slugFrom(prompt.name);
    if (slug === '')
      return unusable('Its name has no letter from a to z and no digit, so no slug can be made from it.');
    const earlier = this.#made.get(slug);
    if (earlier !== undefined) return unusable(`It has the same slug as ${earlier}: ${slug}. Rename one of them.`);
    const { content, address, license, settings } = this.#options;
    const source: Origin = {
      ...(address === null ? {} : { address }),
      license: prompt.license ?? license ?? 'unknown',
    };
    const { text, sections } = withSections(prompt.text.replace(/\r\n?/g, '\n'), prompt.inputs);
    const existing = this.#folders.get(slug)?.texts();
    if (sameSource(existing?.get('agent.md'), source)) {
      this.#made.set(slug, where);
      const lines = ownText(text).match(/^.{20,}$/gm) ?? [text];
      if (address !== null || lines.some((line) => existing?.get('prompt.txt')?.includes(line))) return null;
      return {
        where,
        reason: `agents/${slug} was imported earlier, but from another text. If this is new, rename it.`,
      };
    }
    const title = prompt.title?.trim() || titleFrom(slug);
    const taken = this.#titles.get(plainTitle(title));
    if (taken !== undefined && taken !== slug)
      return unusable(`Its title, ${title}, is already the title of ${taken}.`);
    try {
      freeSlug(slug, content);
    } catch (error) {
      if (error instanceof OperationError)
        return unusable(`${error.message.replace(/; choose.*$/, '')}, and was not imported from here.`);
      throw error;
    }
    if (prompt.text.trim() === '') return unusable('It is empty.');
    if (Buffer.byteLength(text) > maxFileBytes) return unusable(`It has more than ${maxFileBytes} bytes.`);
    const files = this.#files({ ...prompt, title, text }, slug, source);
    const { diagnostics } = parseFolder(folderOf(slug, files), this.#schema, settings.rules);
    const error = diagnostics.find(({ severity }) => severity === 'error');
    if (error !== undefined)
      return unusable(`${placeOf(error, text, prompt)}${error.message} ${error.hint} (${error.code})`);
    const publishable = isPublishable(source.license);
    const notes = [...prompt.notes];
    if (sections.length === 0) notes.push('It has no sections yet; write them.');
    else if (sections.length < 3) notes.push(`It already has ${sections.join(' and ')}; write the others.`);
    const unnamed = `It names no license, so it has to stay a draft. If its author allows one of ${publishableLicenses}, write that to \`license\` in its agent.md.`;
    const refused = `Its license (${source.license}) does not allow publication under ${promptLicense.name}, so it has to stay a draft.`;
    if (!publishable) notes.push(source.license === 'unknown' ? unnamed : refused);
    return { summary: { slug, title, date: this.#date, where, license: source.license, publishable, notes }, files };
  }

  /** Adds a draft to the catalog, and writes it unless this is a dry run. */
  add({ summary, files }: NewDraft): void {
    const { cwd, dryRun } = this.#options;
    const { slug, notes } = summary;
    const near = this.#index.add(slug, ownText(files.get('prompt.txt')));
    if (near !== null) notes.push(`${Math.floor(near.share * 100)}% of its prompt is also in ${near.name}.`);
    if (!dryRun) writeFolder(cwd, slug, files);
    this.#made.set(slug, summary.where);
    this.#date = this.#nextDate();
  }

  #files({ title, text, about }: ForeignPrompt & { title: string }, slug: string, source: Origin): Map<string, string> {
    const { settings: vocabulary, content: calendar, today, category } = this.#options;
    const answers = defaults({ slug }, { vocabulary, calendar, today });
    const files = agentFiles({ ...answers, title, category, date: this.#date, excerpt: about }, source);
    files.set('prompt.txt', text);
    files.set('sample-input.txt', `${/\[.*\]/.exec(placeholders.sampleInput(null))?.[0]}\n`);
    files.set('sample-output.txt', `${placeholders.answerGuidance}\n`);
    return files;
  }
}

/** Says in which line of the source an error in the prompt of its draft is, as the start of a message. */
function placeOf(error: { file: string; line: number }, draft: string, { text, line }: ForeignPrompt): string {
  const wrong = error.file.endsWith('/prompt.txt') ? draft.split('\n')[error.line - 1]?.trim() : undefined;
  const index = text.split(/\r\n?|\n/).findIndex((own) => own.trim() === wrong);
  return index === -1 ? '' : `Line ${line + index}: `;
}

/** A prompt without the guidance that all drafts have. */
function ownText(prompt = ''): string {
  return prompt.replace(/^\[.*\]$/gm, '');
}

/** Whether an agent.md was imported from the same place. */
function sameSource(text: string | undefined, { address }: Origin): boolean {
  const source = text === undefined ? null : (frontMatterIn(text)?.data.source as Origin | null | undefined);
  return source != null && source.address === address;
}
