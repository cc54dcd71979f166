import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { type Diagnostic, diagnose, type Wording } from '../../schema/diagnostics/diagnostic.ts';
import { type Check, type Counterexample, kindOf, roundsOf, sampleCase } from '../../schema/evals.ts';
import { codePoints } from '../../schema/fields.ts';
import { evalMessages } from '../../schema/messages/evals.ts';
import { numberMessages } from '../../schema/messages/numbers.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { allRules } from '../../schema/rules.ts';
import { type Line, linesOf } from '../../text/prompt-text.ts';
import { grade, tooSlow } from '../evals/grade.ts';
import { counterexampleFile } from '../parse/evals.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { pathOf, unprocessable } from '../read.ts';
import { promptRules } from './prompt.ts';
import { AgentView, type EditorialRules, isEmpty, type Remark } from './rule.ts';

/** The rules about the front matter, and those about the texts of all files. */
const textRules: EditorialRules = {
  /**
   * The problem has 40 to 400 characters, and repeats neither the title nor the excerpt.
   *
   * Left to the reviewer: whether it names one person, one situation and one pain.
   */
  'editorial/one-job'(view) {
    const { title, excerpt, problem } = view.agent;
    const length = codePoints(problem.trim());
    const wordings = [
      ...(length < 40 || length > 400 ? [textMessages.lengthOfProblem(length, 40, 400)] : []),
      ...(repeatsTitle(problem, title) ? [textMessages.problemRepeatsTitle] : []),
      ...(sharesRun(problem, excerpt) ? [textMessages.problemRepeatsExcerpt] : []),
    ];
    return wordings.map((wording) => view.inFrontMatter(['problem'], wording));
  },

  /**
   * The excerpt is one sentence of 60 to 160 characters that ends with a period and does not start with a word that
   * cannot be a verb.
   *
   * Left to the reviewer: whether other first words are verbs, and whether the excerpt says what the reader gets.
   */
  'editorial/excerpt'(view) {
    const text = view.agent.excerpt;
    const remarks: Remark[] = [];
    const report = (wording: Wording) => remarks.push(view.inFrontMatter(['excerpt'], wording));
    const length = codePoints(text);
    if (length < 60 || length > 160) report(textMessages.lengthOfExcerpt(length, 60, 160));
    // Also the periods of Chinese, Hindi, Urdu, Armenian and Amharic.
    if (!/[^.][.。।۔։።]$/u.test(text)) report(textMessages.excerptWithoutPeriod);
    if (/\p{L}{4}\.\s+\p{Lu}|[!?]\s+\p{Lu}/u.test(text)) report(textMessages.excerptOfSentences);
    const [first] = (view.english && notVerbs.exec(text)) || [];
    if (first !== undefined) report(textMessages.excerptWithoutVerb(first));
    return remarks;
  },

  /**
   * The demo has 4 to 8 points between seconds 0 and 90, each later than the one before it, with labels of up to 40
   * characters. There are 3 to 7 steps.
   *
   * Left to the reviewer: whether the demo shows the trap being caught, and whether each step takes less than two
   * minutes.
   */
  'editorial/demo'(view) {
    const { demo: points, steps } = view.agent;
    const remarks: Remark[] = [];
    const report = (path: (string | number)[], wording: Wording) => remarks.push(view.inFrontMatter(path, wording));
    if (steps.length < 3 || steps.length > 7) report(['steps'], textMessages.numberOfSteps(steps.length, 3, 7));
    if (points.length < 4 || points.length > 8) report(['demo'], textMessages.numberOfPoints(points.length, 4, 8));
    for (const [index, { second, label }] of points.entries()) {
      const before = points[index - 1];
      const at = ['demo', index, 'second'];
      if (before === undefined && second !== 0) report(at, textMessages.demoStartsLate(second));
      else if (before !== undefined && second <= before.second) report(at, textMessages.sameSecond);
      if (second > 90) report(at, textMessages.demoTooLong(second, 90));
      if (codePoints(label) > 40) report(['demo', index, 'label'], textMessages.labelTooLong(codePoints(label), 40));
    }
    return remarks;
  },

  /**
   * The prompt has 120 to 900 words, is plain text that survives copying and runs nothing when it is installed, and names
   * no tool of a vendor unless the agent is only for that vendor. The slug is a name that every vendor accepts for a skill.
   * No text in the front matter is cut off by a ` #`. There are 2 to 6 tags, and none of them is the category.
   *
   * Left to the reviewer: features of one vendor that are described without a name. The rule front-matter/yaml already
   * covers a `: ` in a text without quotes.
   */
  'editorial/portable': (view) => [
    ...promptLength(view),
    ...vendors(view),
    ...characters(view),
    ...cutTexts(view),
    ...tags(view),
    ...skillName(view),
  ],

  /**
   * Only drafts contain placeholders, such as `TODO:`, `[insert a name]` or `${Name:default}`,
   * outside code.
   *
   * The samples are data, in which only dummy text is reported. Left to the reviewer: slots in <angle brackets>, which
   * skeletons of answers have.
   */
  'editorial/placeholder'(view) {
    if (view.agent.draft === true) return [];
    return [...view.texts].flatMap(([file, text]) => {
      if (file.startsWith('evals/')) return [];
      const pattern = file === 'agent.md' || file === 'prompt.txt' ? unwritten : /\blorem ipsum\b/i;
      for (const { text: line, offset, fenced } of linesOf(text).lines) {
        const match = fenced ? null : pattern.exec(line.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length)));
        if (match === null) continue;
        return [view.inFile(file, offset + match.index, match[0].length, textMessages.unwrittenText)];
      }
      return [];
    });
  },
};

/**
 * Whether a text starts with a title, or contains a title of three or more words. Shorter titles can be ordinary
 * phrases.
 */
function repeatsTitle(text: string, title: string): boolean {
  const words = wordsOf(title);
  const [inside, phrase] = [` ${wordsOf(text).join(' ')} `, ` ${words.join(' ')} `];
  return words.length > 0 && (inside.startsWith(phrase) || (words.length >= 3 && inside.includes(phrase)));
}

/** Returns the words of a text in lower case. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether two texts share eight words in a row. */
function sharesRun(text: string, other: string): boolean {
  const inside = ` ${wordsOf(text).join(' ')} `;
  const words = wordsOf(other);
  return words.some((_, at) => at + 8 <= words.length && inside.includes(` ${words.slice(at, at + 8).join(' ')} `));
}

/** First words that are not verbs: articles, pronouns, prepositions, conjunctions. */
const notVerbs =
  /^(?:an?|the|this|that|these|those|it|its|you|your|we|our|i|my|they|their|he|she|with|from|for|if|when|while|because|in|on|at|by|of|and|or|but|as|all|every|each|some)\b/i;

function promptLength(view: AgentView): Remark[] {
  const text = view.agent.prompt;
  // In scripts without spaces, words cannot be counted.
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const countable = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]{4}/u.test(text);
  if (!countable || (words >= 120 && words <= 900)) return [];
  return [view.inPrompt(0, text.length, promptMessages.lengthOfPrompt(words, 120, 900))];
}

/** Names that almost always mean a product of one vendor, with the names of its runtimes. */
const products: readonly (readonly [runtimes: RegExp, names: RegExp])[] = [
  [/claude/i, /\bClaude (?:Code|Desktop|Projects?|Artifacts?)\b|\bCLAUDE\.md\b/],
  [/chatgpt|codex|gpt/i, /\bChatGPT\b|\bCode Interpreter\b|\bDALL[-·]E\b|\bGPT-\d|\bCodex CLI\b/],
  [/gemini/i, /\bGemini (?:CLI|Gems?)\b|\bNotebookLM\b/],
  [/copilot/i, /\bGitHub Copilot\b|\bCopilot (?:Chat|Workspace|Studio)\b|\bcopilot-instructions\.md\b/],
  [/cursor/i, /\.cursorrules\b|\bCursor (?:Composer|Rules)\b/],
];

function vendors(view: AgentView): Remark[] {
  return products.flatMap(([runtimes, names]) => {
    const match = names.exec(view.agent.prompt);
    const others = view.agent.runtimes.filter((name) => !runtimes.test(name));
    if (match === null || others.length === 0) return [];
    return [view.inPrompt(match.index, match[0].length, promptMessages.vendorNamed(match[0], others))];
  });
}

function characters(view: AgentView): Remark[] {
  const { lines } = linesOf(view.agent.prompt);
  const first = (pattern: RegExp, wording: Wording, skip: (fenced: boolean) => boolean = () => false) => {
    const matches = lines.flatMap(({ text, offset, fenced }) => {
      const match = skip(fenced) ? null : pattern.exec(text);
      return match === null ? [] : [{ start: offset + match.index, length: match[0].length }];
    });
    return matches
      .slice(0, 1)
      .map(({ start, length }) => view.inPrompt(start, length, promptMessages.inLines(wording, matches.length)));
  };
  return [
    ...first(/[“”‘’]/, promptMessages.curlyQuotes),
    ...first(/(?<![ \t])[ \t]+$/, promptMessages.spacesAtEnd),
    ...first(/(?<![`\\{])\{\{[^{}`]*\}\}|(?<![`\\])\{%[^%`]*%\}/, promptMessages.doubleBraces, (fenced) => fenced),
    ...first(/(?<![`\\])(?:[!@]\{[^{}]*\}|\$ARGUMENTS\b)/, promptMessages.filledInByAssistants, (fenced) => fenced),
    ...first(/!(?=`)|```!/, promptMessages.shellCommand),
  ];
}

/** The texts of the front matter that people read, in which a comment is almost never intended. */
const proseKeys = new Set(['title', 'excerpt', 'problem', 'withdrawn', 'name', 'text', 'label', 'detail']);

function cutTexts(view: AgentView): Remark[] {
  const text = view.texts.get('agent.md') ?? '';
  const remarks: Remark[] = [];
  if (!text.slice(0, text.indexOf('\n---', 3)).includes(' #')) return [];
  const document = parseDocument(text.slice(4, text.indexOf('\n---', 3)));
  if (!isMap(document.contents)) return [];
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || !proseKeys.has(String(key.value))) return;
      if (!isScalar(value) || value.type !== 'PLAIN' || value.comment == null) return;
      const offset = text.indexOf(' #', 4 + (value.range?.[1] ?? 0) - 1);
      remarks.push(view.inFile('agent.md', offset + 1, text.length, textMessages.textCutOff(String(key.value))));
    },
  });
  return remarks;
}

/** Names that Anthropic accepts only in its own skills. */
const reservedWords = /claude|anthropic/;

function skillName(view: AgentView): Remark[] {
  const [word] = reservedWords.exec(view.agent.slug) ?? [];
  if (word === undefined) return [];
  return [view.inFrontMatter(['title'], numberMessages.slugRefusedByClaude(word))];
}

function tags(view: AgentView): Remark[] {
  const { category, tags: names } = view.agent;
  const remarks: Remark[] = [];
  if (names.length < 2 || names.length > 6)
    remarks.push(view.inFrontMatter(['tags'], textMessages.numberOfTags(names.length, 2, 6)));
  const index = names.indexOf(category);
  if (index !== -1) remarks.push(view.inFrontMatter(['tags', index], textMessages.tagIsCategory(category)));
  return remarks;
}

/** Marks of text that is still to be written. TODO and the like count only at the start of a line or value; only
 * there does the pattern look back, since that takes time in a line of blanks. */
const unwritten =
  /\blorem ipsum\b|(?=TODO|TBD|FIXME|XXX)(?<=^\s*(?:[-*] +|\d+[.)] +)?(?:[\w-]+: +)?["']?)(?:TODO|TBD|FIXME|XXX)\b(?=\s*(?:[:("']|$))|\[(?:insert|enter|fill in)\b[^\]\n]{0,80}\](?!\()|\$\{[A-Za-z][\w ]*:[^}\-=?+][^}\n]*\}/i;

const checksFile = 'evals/checks.yaml';

/** The rules about answers: what OUTPUT prescribes, the sample, and recorded answers. */
const answerRules: EditorialRules = {
  /**
   * OUTPUT contains something literal (a heading, a list, a table, a label, a JSON key, or a slot in <angle brackets>)
   * and a limit of length.
   *
   * Left to the reviewer: whether the skeleton is complete and in a sensible order, and whether a reader can check it by
   * eye.
   */
  'editorial/output-shape'(view) {
    const { OUTPUT } = view.prompt;
    if (isEmpty(OUTPUT)) return [];
    const isShown = OUTPUT.lines.some(({ text, fenced }) => fenced || literal.test(text));
    const isLimited = !view.english || limit.test(`${OUTPUT.heading}\n${OUTPUT.body}`);
    return [
      ...(isShown ? [] : [view.atHeading('OUTPUT', promptMessages.answerNotShown)]),
      ...(isLimited ? [] : [view.atHeading('OUTPUT', promptMessages.noLengthLimit)]),
    ];
  },

  /**
   * OUTPUT says what to answer if there is nothing to report.
   *
   * The check accepts a word such as "no", "none", "nothing" or "every" outside the slots. Left to the reviewer: whether
   * the sentence really covers this case.
   */
  'editorial/empty-case'(view) {
    const { OUTPUT } = view.prompt;
    if (!view.english || isEmpty(OUTPUT) || nothing.test(OUTPUT.body.replace(/<[^<>\n]*>/g, ''))) return [];
    return [view.atHeading('OUTPUT', promptMessages.emptyCaseNotSettled)];
  },

  /**
   * The sample input has 8 to 60 lines and no email address that could be someone's. The sample output contains the fixed
   * parts of the skeleton in OUTPUT.
   *
   * Left to the reviewer: whether the sample is realistic and contains a trap, whether names and other kinds of addresses
   * are invented, and whether the answer is correct. The rule text/secret covers secrets.
   */
  'editorial/sample': (view) => [...sampleLength(view), ...realAddresses(view), ...skeleton(view)],

  /**
   * The sample output passes the checks of the case `sample`.
   *
   * Left to the reviewer: whether the checks fail a bad answer.
   */
  'editorial/checks'(view) {
    const { agent } = view;
    const sample = agent.evals?.cases.find(({ name }) => name === sampleCase);
    if (sample === undefined) return [];
    return grade(sample.checks, agent.sampleOutput, sample.input).flatMap(({ kind, failure }, index) => {
      if (failure === null) return [];
      const wording = textMessages.sampleFailsCheck(failure, failure === tooSlow);
      return view.atKey(checksFile, [sampleCase, 'checks', index, kind], wording);
    });
  },

  /** Each counterexample fails the check that names it. It is not the same text as a good answer, or another counterexample. */
  'editorial/toothless'(view) {
    const answers = [...view.texts]
      .filter(([name]) => name === 'sample-output.txt' || /^evals\/.+\/.+\.txt$/.test(name))
      .map(([name, text]) => [name, text.trim()] as const);
    const rounds = view.agent.evals?.cases.flatMap(roundsOf) ?? [];
    return rounds.flatMap(({ path, counterexamples }) =>
      counterexamples.flatMap(({ name, check, answer, results }) => {
        const own = counterexampleFile(name);
        const copied = answers.find(([file, text]) => file !== own && text === answer.trim());
        const failing = results.filter(({ failure }) => failure !== null).map(({ kind }) => `\`${kind}\``);
        const wording =
          copied !== undefined
            ? evalMessages.counterexampleCopied(name, copied[0])
            : results[check]?.failure === null
              ? evalMessages.counterexamplePasses(name, failing)
              : null;
        return wording === null ? [] : view.atKey(checksFile, [...path, check, 'catches', name], wording);
      }),
    );
  },

  /** Each check of an agent with counterexamples fails one of them. */
  'editorial/unproven': (view) =>
    atChecks(view, (_, index, counterexamples) =>
      counterexamples.some(({ results }) => results[index]?.failure !== null) ? null : evalMessages.checkUnproven,
    ),

  /** Each check of an agent with counterexamples says what it is for. */
  'editorial/why': (view) => atChecks(view, (check) => (check.why === undefined ? evalMessages.whyMissing : null)),

  /** No two cases have the same input. */
  'editorial/same-input'(view) {
    const cases = view.agent.evals?.cases ?? [];
    return cases.flatMap(({ name, input }, index) => {
      const other = cases.slice(0, index).find((earlier) => earlier.input.trim() === input.trim());
      if (other === undefined) return [];
      const location = view.locationsIn(checksFile)([name, 'input']);
      return [{ file: checksFile, location, ...evalMessages.inputTwice(name, other.name) }];
    });
  },

  /** Recorded answers were made with the current prompt and the current input of their case. */
  'editorial/stale': (view) =>
    (view.agent.evals?.answers ?? []).flatMap(({ case: name, folder, recorded, stale, turns }) => {
      if (stale === null) return [];
      const wording = evalMessages.answerStale(stale, recorded.model, name, recorded.date, turns.length > 0);
      return view.atKey(`evals/recordings/${folder}/recording.json`, ['cases', name, `${stale}Sha256`], wording);
    }),
};

const literal =
  /^\s*(?:\||#{1,6}\s|[-*+•]\s|[A-Za-z]?\d+[.):]\s|[[{"*_])|<[^<>\s][^<>]*>|^\s*[\p{L}][^.:!?]{0,40}:(?:\s|$)/u;

const number =
  '(?:\\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|single)';
const units =
  '(?:lines?|words?|rows?|items?|sentences?|characters?|bullets?|points?|pages?|paragraphs?|entries|tokens?|findings?)';
const limit = new RegExp(
  `\\b${number}[ -](?:\\w+ )?${units}\\b|\\b(?:at most|no more than|not more than|up to|maximum|max|limit|within|under|fewer than|less than)\\b[^.\\n]{0,24}\\b${number}\\b`,
  'i',
);

const nothing =
  /\b(?:no|none|nothing|nobody|not|never|empty|every|all|each|zero|without|missing|fits?)\b|\b(?:is|are|does|do)n't\b/i;

function sampleLength(view: AgentView): Remark[] {
  const text = view.agent.sampleInput;
  const lines = text.trim().split('\n').length;
  if (lines >= 8 && lines <= 60) return [];
  return [view.inFile('sample-input.txt', 0, text.length, textMessages.lengthOfSampleInput(lines, 8, 60))];
}

/** Addresses that look like email but reach nobody: reserved names (RFC 2606, RFC 6761), local ones, and git@host. */
const harmless =
  /^(?:git|hg|svn)@|@(?:[\w-]+\.)*(?:example(?:\.(?:com|net|org))?|[\w-]+\.(?:example|test|invalid|localhost|local|internal|lan))$/i;

function realAddresses(view: AgentView): Remark[] {
  return ['sample-input.txt', 'sample-output.txt'].flatMap((file) => {
    const addresses = [...(view.texts.get(file) ?? '').matchAll(/(?<![\w.+:/-])[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b/g)];
    return addresses
      .filter(([address]) => !harmless.test(address))
      .map(({ 0: address, index }) => view.inFile(file, index, address.length, textMessages.realAddress));
  });
}

function skeleton(view: AgentView): Remark[] {
  const text = view.agent.sampleOutput;
  const answer = normal(text);
  const { tables, parts } = fixedParts(view.prompt.OUTPUT.lines);
  const expected = tables.length > 0 ? tables : parts;
  const [shown] = expected;
  if (shown === undefined || expected.some((part) => answer.includes(normal(part)))) return [];
  const wording =
    tables.length > 0 ? textMessages.sampleWithoutTable(shown) : textMessages.sampleWithoutSkeleton(shown);
  return [view.inFile('sample-output.txt', 0, text.length, wording)];
}

/**
 * Returns the literal parts of a skeleton: the header rows of its tables, its headings (also those in capital letters), its
 * labels and its JSON keys.
 */
function fixedParts(lines: readonly Line[]): { tables: string[]; parts: string[] } {
  const texts = lines.map(({ text }) => text.trim());
  const tables = texts.filter(
    (text, at) => text.startsWith('|') && !text.includes('<') && /^\|[\s:|-]+$/.test(texts[at + 1] ?? ''),
  );
  const parts = texts.flatMap((text) => {
    const heading = /^#{1,6}\s+([^<>]+)$/.exec(text)?.[1];
    const capitals = /^\p{Lu}[\p{Lu} ]{2,40}:?$/u.exec(text)?.[0];
    const label = /^(?:[-*]\s+)?([\p{L}][^<>.:!?"]{0,40}:)(?=\s+<)/u.exec(text)?.[1];
    const keys = [...text.matchAll(/"[\w-]+"\s*:/g)].map(([key]) => key);
    return [heading, capitals, label, ...keys].filter((part) => part !== undefined);
  });
  return { tables, parts };
}

function normal(text: string): string {
  return text.toLowerCase().replace(/\s+/g, '');
}

/** Makes remarks about the checks of an agent with counterexamples. Others have none. */
function atChecks(
  view: AgentView,
  wordingOf: (check: Check, index: number, counterexamples: readonly Counterexample[]) => Wording | null,
): Remark[] {
  const rounds = view.agent.evals?.cases.flatMap(roundsOf) ?? [];
  if (rounds.every(({ counterexamples }) => counterexamples.length === 0)) return [];
  return rounds.flatMap(({ path, checks, counterexamples }) =>
    checks.flatMap((check, index) => {
      const wording = wordingOf(check, index, counterexamples);
      return wording === null ? [] : view.atKey(checksFile, [...path, index, kindOf(check)], wording);
    }),
  );
}

const rules: EditorialRules = { ...textRules, ...promptRules, ...answerRules };

/** The codes of the rules about the writing of an agent, in the order of the documentation. They never stop a build. */
export const editorialRules = allRules
  .map(({ code }) => code)
  .filter((code): code is keyof EditorialRules => Object.hasOwn(rules, code));

/**
 * Applies the rules to a folder. Returns nothing unless its texts and its front matter are complete. `language` is the
 * language of the catalog (BCP 47).
 */
export function editorialFindings({ slug, written, texts }: ParsedFolder, language: string): Diagnostic[] {
  if (written === null) return [];
  try {
    const files = texts();
    const view = new AgentView(written, files, language);
    return editorialRules.flatMap((code) =>
      (rules[code]?.(view) ?? []).map(({ file, ...remark }) => {
        const text = files.get(file);
        return diagnose({ ...remark, code, ...(text === undefined ? {} : { text }), slug, file: pathOf(slug, file) });
      }),
    );
  } catch (error) {
    return [unprocessable(slug, 'judge the writing of', error)];
  }
}
