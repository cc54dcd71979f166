import { isMap, isScalar, parseDocument, visit } from 'yaml';
import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { locationAt } from '../../schema/diagnostics/location.ts';
import { numberMessages } from '../../schema/messages/numbers.ts';
import { inLines, promptMessages } from '../../schema/messages/prompt.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { linesOf } from '../../text/prompt-text.ts';
import { type AgentView, type EditorialRule, inFrontMatter, inPrompt, type Remark } from './rule.ts';

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
    ...length(view),
    ...vendors(view),
    ...characters(view),
    ...cutTexts(view),
    ...tags(view),
    ...skillName(view),
  ],
};

function length(view: AgentView): Remark[] {
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
    const found = names.exec(view.agent.prompt);
    const others = view.agent.runtimes.filter((name) => !runtimes.test(name));
    if (found === null || others.length === 0) return [];
    return [inPrompt(view, found.index, found[0].length, promptMessages.vendorNamed(found[0], others))];
  });
}

function characters(view: AgentView): Remark[] {
  const { lines } = linesOf(view.agent.prompt);
  const first = (pattern: RegExp, wording: Wording, skip: (fenced: boolean) => boolean = () => false) => {
    const found = lines.flatMap(({ text, offset, fenced }) => {
      const match = skip(fenced) ? null : pattern.exec(text);
      return match === null ? [] : [{ start: offset + match.index, length: match[0].length }];
    });
    const [{ start, length } = { start: 0, length: 0 }] = found;
    if (found.length === 0) return [];
    return [inPrompt(view, start, length, inLines(wording, found.length))];
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

function cutTexts({ texts }: AgentView): Remark[] {
  const text = texts.get('agent.md') ?? '';
  const remarks: Remark[] = [];
  if (!text.slice(0, text.indexOf('\n---', 3)).includes(' #')) return [];
  const document = parseDocument(text.slice(4, text.indexOf('\n---', 3)));
  if (!isMap(document.contents)) return [];
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || !proseKeys.has(String(key.value))) return;
      if (!isScalar(value) || value.type !== 'PLAIN' || value.comment == null) return;
      const offset = text.indexOf(' #', 4 + (value.range?.[1] ?? 0) - 1);
      remarks.push({
        file: 'agent.md',
        location: locationAt(text, offset + 1, text.length),
        ...textMessages.textCutOff(String(key.value)),
      });
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
  if (names.length < 2 || names.length > 6) {
    remarks.push(inFrontMatter(view, ['tags'], textMessages.numberOfTags(names.length, 2, 6)));
  }
  const index = names.indexOf(category);
  if (index !== -1) remarks.push(inFrontMatter(view, ['tags', index], textMessages.tagIsCategory(category)));
  return remarks;
}
