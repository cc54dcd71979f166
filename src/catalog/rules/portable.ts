import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { linesOf } from '../../agent-text/prompt-sections.ts';
import { locationAt } from '../../diagnostics/source-location.ts';
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
  const hint = words < 120 ? 'Describe a good answer in more detail.' : 'Cut what the answer does not need.';
  return [inPrompt(view, 0, text.length, `The prompt has ${words} words; it should have 120 to 900.`, hint)];
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
    return [
      inPrompt(
        view,
        found.index,
        found[0].length,
        `The prompt names ${found[0]}, but the agent is also for ${others.join(', ')}.`,
        'Say it without the name, or limit `runtimes` to that vendor.',
      ),
    ];
  });
}

function characters(view: AgentView): Remark[] {
  const { lines } = linesOf(view.agent.prompt);
  const first = (pattern: RegExp, message: string, hint: string, skip: (fenced: boolean) => boolean = () => false) => {
    const found = lines.flatMap(({ text, offset, fenced }) => {
      const match = skip(fenced) ? null : pattern.exec(text);
      return match === null ? [] : [{ start: offset + match.index, length: match[0].length }];
    });
    const [{ start, length } = { start: 0, length: 0 }] = found;
    if (found.length === 0) return [];
    const all = found.length === 1 ? hint : `${hint} This concerns ${found.length} lines.`;
    return [inPrompt(view, start, length, message, all)];
  };
  return [
    ...first(
      /[“”‘’]/,
      'The prompt has curly quotes, which get lost or changed in copying.',
      'Use " and \' throughout.',
    ),
    ...first(/(?<![ \t])[ \t]+$/, 'A line of the prompt ends with spaces.', 'Delete them: they get lost in copying.'),
    ...first(
      /(?<![`\\{])\{\{[^{}`]*\}\}|(?<![`\\])\{%[^%`]*%\}/,
      'Many tools fill in or remove braces like these in a prompt.',
      'Write a name in capitals, or <angle brackets> for a slot.',
      (fenced) => fenced,
    ),
    ...first(
      /(?<![`\\])(?:[!@]\{[^{}]*\}|\$ARGUMENTS\b)/,
      'Some assistants run or fill in a part like this when the prompt is one of their commands or skills.',
      'Write it in other words. For a slot, write a name in capitals, or <angle brackets>.',
      (fenced) => fenced,
    ),
    ...first(
      /!(?=`)|```!/,
      'Claude Code runs the text after this `!` as a shell command when it loads the agent as a skill.',
      'Remove the `!`. Until then, the skill has a space after it.',
    ),
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
        message: `The text of \`${key.value}\` ends before this \`#\`, which starts a comment.`,
        hint: 'Put the whole text in quotes.',
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
  const message = `The slug contains ${word}, so Claude refuses the agent as a skill.`;
  return [inFrontMatter(view, ['title'], message, 'Rename the folder before the agent is published.')];
}

function tags(view: AgentView): Remark[] {
  const { category, tags: names } = view.agent;
  const remarks: Remark[] = [];
  if (names.length < 2 || names.length > 6) {
    const message = `There ${names.length === 1 ? 'is 1 tag' : `are ${names.length} tags`}; it should be 2 to 6.`;
    remarks.push(inFrontMatter(view, ['tags'], message, 'Keep those that a reader would search for.'));
  }
  const index = names.indexOf(category);
  if (index !== -1) {
    const message = `The tag ${category} repeats the category.`;
    remarks.push(
      inFrontMatter(view, ['tags', index], message, 'Replace it with a tag that says more than the category.'),
    );
  }
  return remarks;
}
