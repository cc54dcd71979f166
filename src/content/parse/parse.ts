import { digestOf } from '../../lib/files.ts';
import { type Agent, type AgentTexts, type FrontMatterSchema, requiredFiles } from '../../schema/agent.ts';
import {
  type Diagnostic,
  diagnose,
  type LocatedWording,
  located,
  locationAt,
  type Report,
} from '../../schema/diagnostics/diagnostic.ts';
import { hasErrors } from '../../schema/diagnostics/report.ts';
import { nearest } from '../../schema/diagnostics/suggestions.ts';
import { type LocationOf, locationsInFrontMatter, locationsInYaml } from '../../schema/diagnostics/yaml-location.ts';
import { isPublishable, promptLicense, publishableLicenses } from '../../schema/documents.ts';
import { proofOf } from '../../schema/evals.ts';
import { fileMessages } from '../../schema/messages/files.ts';
import { frontMatterMessages, jsonMessages } from '../../schema/messages/formats.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { explain } from '../../schema/messages/values.ts';
import { type RuleSettings, withRules } from '../../schema/rules.ts';
import { markdownFindings } from '../../text/markdown.ts';
import { headingOf, linesOf, type SectionName, sectionNames, sectionsOf } from '../../text/prompt-text.ts';
import { decodeFolder, pathOf, type SourceFolder } from '../read.ts';
import { renderedFindings, type TextFinding, textFindings, valueFindings, withoutFound } from '../text-checks.ts';
import { readEvals } from './evals.ts';
import { guessSchedule, type Schedule, type SplitSource, splitFrontMatter } from './front-matter.ts';
import { readJson } from './json-errors.ts';
import { conflictFinding, placeholderFindings } from './placeholders.ts';

/** Checks that a prompt has INPUT, RULES and OUTPUT, each once and in that order. */
function sectionProblems(prompt: string): LocatedWording[] {
  const sections = sectionsOf(prompt);
  const own = (name: SectionName) => sections.filter((section) => section.name === name);
  const missing = sectionNames.filter((name) => own(name).length === 0);
  const repeated = sectionNames.flatMap((name) => own(name)[1] ?? []);
  const problems = [
    ...missingProblems(prompt, missing),
    ...repeated.map(({ name, start }) => located(prompt, start, name.length, promptMessages.sectionTwice(name))),
  ];
  if (problems.length > 0) return problems;
  const misplaced = sections.find((section, index) => section.name !== sectionNames[index]);
  if (misplaced === undefined) return [];
  const { name, start } = misplaced;
  return [located(prompt, start, name.length, promptMessages.sectionMisplaced(name))];
}

function missingProblems(prompt: string, missing: readonly SectionName[]): LocatedWording[] {
  if (missing.length === 0) return [];
  const { lines, openFence } = linesOf(prompt);
  const fenced = openFence === null ? [] : prompt.slice(openFence.offset).split('\n').map(headingOf);
  const swallowed = missing.filter((name) => fenced.includes(name));
  const absent = missing.filter((name) => !swallowed.includes(name));
  const problems: LocatedWording[] = [];
  const rest: SectionName[] = [];
  for (const name of absent) {
    const { text, offset } = lines.find(({ text, fenced }) => !fenced && isNearly(text, name)) ?? {};
    if (text === undefined || offset === undefined) rest.push(name);
    else problems.push(located(prompt, offset, text.length, promptMessages.notAHeading(text.trimEnd(), name)));
  }
  if (openFence !== null && swallowed.length > 0) {
    const { offset, text } = openFence;
    problems.push(located(prompt, offset, text.length, promptMessages.fenceNotClosed(swallowed)));
  }
  if (rest.length > 0) problems.push(located(prompt, 0, 1, promptMessages.sectionsMissing(rest)));
  return problems;
}

/** The names of the sections in other languages, and similar words. */
const otherWords: Record<SectionName, readonly string[]> = {
  INPUT: ['inputs', 'eingabe', 'entree', 'entrada', 'entradas', 'ingresso', 'invoer', 'wejscie', '输入', '入力'],
  RULES: ['rule', 'regeln', 'regles', 'reglas', 'regole', 'regras', 'regels', 'zasady', '规则', 'ルール'],
  OUTPUT: ['outputs', 'ausgabe', 'sortie', 'salida', 'saida', 'uscita', 'uitvoer', 'wyjscie', '输出', '出力'],
};

/**
 * Whether a line was probably meant to be the heading of a section, in other case, with other marks, or in another
 * language.
 */
function isNearly(line: string, name: SectionName): boolean {
  const [, word = '', rest = ''] = /^[\s#*_>[(<\d.)-]*([\p{L}\p{M}]+)[*_\])>]*(.*)$/u.exec(line) ?? [];
  if (!/^\s*(?:$|[:(\u2013\u2014-])/.test(rest)) return false;
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (plain === name.toLowerCase() || otherWords[name].includes(plain)) return true;
  return word === word.toUpperCase() && nearest(plain, [name]) === name;
}

/** The content of a folder, which may have errors. */
export interface ParsedFolder {
  slug: string;
  /** Returns the readable texts of its files, by name. */
  texts: () => ReadonlyMap<string, string>;
  /** The agent; null if it has structural errors. */
  agent: Agent | null;
  /**
   * The agent for the editorial checks; null unless its texts and its front matter are complete. It may have other
   * errors.
   */
  written: Agent | null;
  /** The schedule in its front matter, even if other parts of the front matter are invalid. */
  schedule: Schedule;
  diagnostics: Diagnostic[];
}

/**
 * Parses an agent from the files of its folder. It never throws: all problems are in the diagnostics. `rules` are those
 * that the settings change.
 */
export function parseFolder(folder: SourceFolder, schema: FrontMatterSchema, rules?: RuleSettings): ParsedFolder {
  const parsed = parseTexts(folder, schema);
  const diagnostics = withRules(parsed.diagnostics, rules);
  return Object.assign(parsed, { agent: hasErrors(diagnostics) ? null : parsed.written, diagnostics });
}

function parseTexts(folder: SourceFolder, schema: FrontMatterSchema): Omit<ParsedFolder, 'agent'> {
  const { slug } = folder;
  const { texts, config: configFile, diagnostics } = decodeFolder(folder);
  const report: Report = (name, code, wording, location) => {
    diagnostics.push(diagnose({ ...wording, code, location, text: texts.get(name), slug, file: pathOf(slug, name) }));
  };

  const reportText = textReporter(slug, diagnostics, report);
  const visible = new Map<string, string>();
  for (const [name, text] of texts) {
    const findings = textFindings(text);
    reportText(name, findings);
    visible.set(name, withoutFound(text, findings));
  }
  const readable = withoutConflicts(visible, report);
  const prompt = readable.get('prompt.txt');
  if (prompt !== undefined) checkPrompt(prompt, report);
  const evals = readEvals({ names: folder.files.map(({ name }) => name), texts: readable, report, reportText });
  const config = configFile === null ? null : readConfig(configFile, readable.get(configFile), { report, reportText });

  const text = readable.get('agent.md');
  const split = text === undefined ? null : splitFrontMatter(text, pathOf(slug, 'agent.md'), slug);
  const source = split === null || 'code' in split ? null : split;
  if (split !== null && 'code' in split) diagnostics.push(split);
  const schedule = source?.schedule ?? guessSchedule(texts.get('agent.md') ?? '');
  const folderParts = { slug, texts: () => texts, schedule, diagnostics };
  if (!schedule.draft) {
    for (const [name, text] of readable)
      for (const { code, location, ...wording } of placeholderFindings(text)) report(name, code, wording, location);
  }
  if (text === undefined || source === null) return { ...folderParts, written: null };

  diagnostics.push(...source.diagnostics);
  const locationOf = locationsInFrontMatter(text);
  reportText('agent.md', valueFindings(source.data, locationOf));
  reportText('agent.md', renderedFindings(text, source.bodyOffset));
  const misplaced = keyInBody(source, schema);
  if (misplaced !== null) {
    const closing = locationAt(text, text.lastIndexOf('---', source.bodyOffset), 3);
    report('agent.md', 'front-matter/missing', frontMatterMessages.closedEarly(misplaced), closing);
    return { ...folderParts, written: null };
  }
  const data = checkFrontMatter(source, schema, { locationOf, hasConfig: configFile !== null, report });
  checkBody(source, text, report);
  if (data === null) return { ...folderParts, written: null };
  const { demo, ...front } = data;
  const longTexts: AgentTexts = {
    demo,
    howItWorks: source.body.trim(),
    prompt: prompt ?? '',
    sampleInput: texts.get('sample-input.txt') ?? '',
    sampleOutput: texts.get('sample-output.txt') ?? '',
    config,
    evals,
  };
  const shown = Object.assign(front, {
    slug,
    configFile: config?.file ?? null,
    proof: evals === null ? null : proofOf(evals),
  });
  const written: Agent = Object.assign(shown, {
    headDigest: digestOf(JSON.stringify(shown)),
    digest: digestOf([...texts].flat().join('\0')),
    texts: () => longTexts,
  });
  const isWhole = requiredFiles.every((name) => readable.has(name)) && sectionProblems(longTexts.prompt).length === 0;
  return { ...folderParts, written: isWhole ? written : null };
}

/** The largest number of errors reported for one front matter. */
const mostRemarks = 50;

/** The texts without merge conflicts. Others are not checked further, since the conflict causes their other errors. */
function withoutConflicts(texts: ReadonlyMap<string, string>, report: Report): Map<string, string> {
  return new Map(
    [...texts].filter(([name, text]) => {
      const conflict = conflictFinding(text);
      if (conflict !== null) report(name, conflict.code, conflict, conflict.location);
      return conflict === null;
    }),
  );
}

/** The key with which the text after the front matter begins, if another line closes it; null if the text is no front matter. */
function keyInBody({ body }: SplitSource, schema: FrontMatterSchema): string | null {
  const [, key = ''] = /^\s*(\w+):/.exec(body) ?? [];
  return key in schema.shape && body.includes('\n---\n') ? key : null;
}

/** Reports errors in the values of front matter. Returns the values, or null if there are errors. */
function checkFrontMatter(
  { data, unread }: SplitSource,
  schema: FrontMatterSchema,
  { locationOf, hasConfig, report }: { locationOf: LocationOf; hasConfig: boolean; report: Report },
) {
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    for (const { rule, key, path, ...wording } of explain(schema, data).slice(0, mostRemarks)) {
      if (unread.has(String(path[0]))) continue;
      report('agent.md', `front-matter/${rule}`, wording, locationOf(path, { key }));
    }
    return null;
  }
  if (parsed.data.configFilename != null && !hasConfig) {
    const location = locationOf(['configFilename'], { key: true });
    report('agent.md', 'config/filename', frontMatterMessages.filenameWithoutConfig, location);
  }
  const { source: origin, draft } = parsed.data;
  if (origin != null && draft !== true && !isPublishable(origin.license)) {
    const wording = frontMatterMessages.licenseRefused(origin.license, promptLicense.name, publishableLicenses);
    report('agent.md', 'source/license', wording, locationOf(['source', 'license']));
  }
  return parsed.data;
}

/** Reports errors in the Markdown after the front matter of `text`. */
function checkBody({ body, bodyOffset }: SplitSource, text: string, report: Report): void {
  for (const { offset, length, code, ...wording } of markdownFindings(body))
    report('agent.md', code, wording, locationAt(text, bodyOffset + offset, length));
  if (body.trim() === '') {
    report('agent.md', 'file/empty', frontMatterMessages.nothingAfter, locationAt(text, text.length - 1));
  }
}

/**
 * Returns a function that reports findings in texts. A finding in an escape is not reported if the text already has a
 * visible one of the same kind.
 */
function textReporter(slug: string, diagnostics: Diagnostic[], report: Report) {
  const shown = new Set<string>();
  return (name: string, findings: readonly TextFinding[]) => {
    for (const { escaped, ...finding } of findings) {
      const kind = `${name} ${finding.code}`;
      if (!escaped) {
        shown.add(kind);
        report(name, finding.code, finding, finding.location);
      } else if (!shown.has(kind)) {
        // It has no code frame, which would show a secret that is written with escapes.
        diagnostics.push(diagnose({ ...finding, slug, file: pathOf(slug, name) }));
      }
    }
  };
}

function checkPrompt(prompt: string, report: Report): void {
  for (const problem of sectionProblems(prompt)) report('prompt.txt', 'prompt/sections', problem, problem.location);
  if (!prompt.endsWith('\n') || prompt.endsWith('\n\n')) {
    const wording = fileMessages.finalNewline(prompt.endsWith('\n'));
    report('prompt.txt', 'file/final-newline', wording, locationAt(prompt, prompt.trimEnd().length));
  }
}

function readConfig(
  file: string,
  text: string | undefined,
  { report, reportText }: { report: Report; reportText: ReturnType<typeof textReporter> },
): AgentTexts['config'] {
  if (text === undefined) return null;
  if (!file.endsWith('.json')) return { file, text, value: text };
  const { value, problems } = readJson(text);
  for (const problem of problems) report(file, 'config/json', problem, problem.location);
  if (problems.length > 0) return null;
  const problem = unportablePart(text);
  if (problem !== null) {
    report(file, 'config/json', problem, problem.location);
    return null;
  }
  reportText(file, valueFindings(value, locationsInYaml(text)));
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { file, text, value: isObject ? (value as Record<string, unknown>) : text };
}

/** The deepest nesting allowed in a config. Every JSON parser accepts it, and no config needs more. */
const maxDepth = 50;

/**
 * Finds a part of well-formed JSON that some programs would refuse or read differently, or returns null: deep nesting,
 * and numbers that they would round or cannot represent (RFC 8259, sections 6 and 9).
 */
function unportablePart(text: string): LocatedWording | null {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[{\]}]|-?\d[\d.eE+-]*/g)) {
    if ('[{'.includes(token)) depth += 1;
    else if (']}'.includes(token)) depth -= 1;
    else if (!token.startsWith('"') && !isExact(token)) {
      return located(text, index, token.length, jsonMessages.numberTooLarge);
    }
    if (depth > maxDepth) return located(text, index, 1, jsonMessages.nestedTooDeeply(maxDepth));
  }
  return null;
}

function isExact(number: string): boolean {
  const value = Number(number);
  return /^-?\d+$/.test(number) ? Number.isSafeInteger(value) : Number.isFinite(value);
}
