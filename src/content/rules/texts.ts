import { isMap, isScalar, parseDocument, visit } from 'yaml';
import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { codePoints } from '../../schema/fields.ts';
import { numberMessages } from '../../schema/messages/numbers.ts';
import { inLines, promptMessages } from '../../schema/messages/prompt.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { linesOf } from '../../text/prompt-text.ts';
import { type AgentView, type EditorialRule, inFile, inFrontMatter, inPrompt, type Remark, wordsOf } from './rule.ts';

/** The rules about the front matter, and those about the texts of all files. */

/**
 * The problem has 40 to 400 characters, and repeats neither the title nor the excerpt.
 *
 * Left to the reviewer: whether it names one person, one situation and one pain.
 */
export const oneJob: EditorialRule = {
  code: 'editorial/one-job',
  check(view) {
    const { title, excerpt, problem } = view.agent;
    const length = codePoints(problem.trim());
    const wordings = [
      ...(length < 40 || length > 400 ? [textMessages.lengthOfProblem(length, 40, 400)] : []),
      ...(repeatsTitle(problem, title) ? [textMessages.problemRepeatsTitle] : []),
      ...(sharesRun(problem, excerpt) ? [textMessages.problemRepeatsExcerpt] : []),
    ];
    return wordings.map((wording) => inFrontMatter(view, ['problem'], wording));
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

/** Whether two texts share eight words in a row. */
function sharesRun(text: string, other: string): boolean {
  const inside = ` ${wordsOf(text).join(' ')} `;
  const words = wordsOf(other);
  return words.some((_, at) => at + 8 <= words.length && inside.includes(` ${words.slice(at, at + 8).join(' ')} `));
}

/** First words that are not verbs: articles, pronouns, prepositions, conjunctions. */
const notVerbs =
  /^(?:an?|the|this|that|these|those|it|its|you|your|we|our|i|my|they|their|he|she|with|from|for|if|when|while|because|in|on|at|by|of|and|or|but|as|all|every|each|some)\b/i;

/**
 * The excerpt is one sentence of 60 to 160 characters that ends with a period and does not start with a word that
 * cannot be a verb.
 *
 * Left to the reviewer: whether other first words are verbs, and whether the excerpt says what the reader gets.
 */
export const excerpt: EditorialRule = {
  code: 'editorial/excerpt',
  check(view) {
    const text = view.agent.excerpt;
    const remarks: Remark[] = [];
    const report = (wording: Wording) => remarks.push(inFrontMatter(view, ['excerpt'], wording));
    const length = codePoints(text);
    if (length < 60 || length > 160) report(textMessages.lengthOfExcerpt(length, 60, 160));
    if (!/[^.][.。]$/u.test(text)) report(textMessages.excerptWithoutPeriod);
    if (/\p{L}{4}\.\s+\p{Lu}|[!?]\s+\p{Lu}/u.test(text)) report(textMessages.excerptOfSentences);
    const [first] = (view.english && notVerbs.exec(text)) || [];
    if (first !== undefined) report(textMessages.excerptWithoutVerb(first));
    return remarks;
  },
};

/**
 * The demo has 4 to 8 points between seconds 0 and 90, each later than the one before it, with labels of up to 40
 * characters. There are 3 to 7 steps.
 *
 * Left to the reviewer: whether the demo shows the trap being caught, and whether each step takes less than two
 * minutes.
 */
export const demo: EditorialRule = {
  code: 'editorial/demo',
  check(view) {
    const { demo: points, steps } = view.agent;
    const remarks: Remark[] = [];
    const report = (path: (string | number)[], wording: Wording) => remarks.push(inFrontMatter(view, path, wording));
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
};

/**
 * The prompt has 120 to 900 words, is plain text that survives copying and runs nothing when it is installed, and names
 * no tool of a vendor unless the agent is only for that vendor. The slug is a name that every vendor accepts for a skill.
 * No text in the front matter is cut off by a ` #`. There are 2 to 6 tags, and none of them is the category.
 *
 * Left to the reviewer: features of one vendor that are described without a name. The rule front-matter/yaml already
 * covers a `: ` in a text without quotes.
 */
export const portable: EditorialRule = {
  code: 'editorial/portable',
  check: (view) => [
    ...promptLength(view),
    ...vendors(view),
    ...characters(view),
    ...cutTexts(view),
    ...tags(view),
    ...skillName(view),
  ],
};

function promptLength(view: AgentView): Remark[] {
  const text = view.agent.prompt;
  // In scripts without spaces, words cannot be counted.
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const countable = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]{4}/u.test(text);
  if (!countable || (words >= 120 && words <= 900)) return [];
  return [inPrompt(view, 0, text.length, promptMessages.lengthOfPrompt(words, 120, 900))];
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
    return [inPrompt(view, match.index, match[0].length, promptMessages.vendorNamed(match[0], others))];
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
      .map(({ start, length }) => inPrompt(view, start, length, inLines(wording, matches.length)));
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
      remarks.push(inFile(view, 'agent.md', offset + 1, text.length, textMessages.textCutOff(String(key.value))));
    },
  });
  return remarks;
}

/** Names that Anthropic accepts only in its own skills. */
const reservedWords = /claude|anthropic/;

function skillName(view: AgentView): Remark[] {
  const [word] = reservedWords.exec(view.agent.slug) ?? [];
  if (word === undefined) return [];
  return [inFrontMatter(view, ['title'], numberMessages.slugRefusedByClaude(word))];
}

function tags(view: AgentView): Remark[] {
  const { category, tags: names } = view.agent;
  const remarks: Remark[] = [];
  if (names.length < 2 || names.length > 6)
    remarks.push(inFrontMatter(view, ['tags'], textMessages.numberOfTags(names.length, 2, 6)));
  const index = names.indexOf(category);
  if (index !== -1) remarks.push(inFrontMatter(view, ['tags', index], textMessages.tagIsCategory(category)));
  return remarks;
}

/** Marks of text that is still to be written. TODO and the like count only at the start of a line or value; only
 * there does the pattern look back, since that takes time in a line of blanks. */
const unwritten =
  /\blorem ipsum\b|(?=TODO|TBD|FIXME|XXX)(?<=^\s*(?:[-*] +|\d+[.)] +)?(?:[\w-]+: +)?["']?)(?:TODO|TBD|FIXME|XXX)\b(?=\s*(?:[:("']|$))|\[(?:insert|enter|fill in)\b[^\]\n]{0,80}\](?!\()|\$\{[A-Za-z][\w ]*:[^}\-=?+][^}\n]*\}/i;

/**
 * Only drafts contain placeholders, such as `TODO:`, `[insert a name]` or `${Name:default}`,
 * outside code.
 *
 * The samples are data, in which only dummy text is reported. Left to the reviewer: slots in <angle brackets>, which
 * skeletons of answers have.
 */
export const placeholder: EditorialRule = {
  code: 'editorial/placeholder',
  check(view) {
    if (view.agent.draft === true) return [];
    return [...view.texts].flatMap(([file, text]) => {
      if (file.startsWith('evals/')) return [];
      const pattern = file === 'agent.md' || file === 'prompt.txt' ? unwritten : /\blorem ipsum\b/i;
      for (const { text: line, offset, fenced } of linesOf(text).lines) {
        const match = fenced ? null : pattern.exec(line.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length)));
        if (match === null) continue;
        return [inFile(view, file, offset + match.index, match[0].length, textMessages.unwrittenText)];
      }
      return [];
    });
  },
};
