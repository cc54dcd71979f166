import { promptMessages } from '../../schema/messages/prompt.ts';
import { atHeading, type EditorialRule, inPrompt, type PromptItem, type Remark } from './rule.ts';
import { isEmpty } from './sections.ts';

/**
 * INPUT lists what to paste, and says what to do if something is missing. Each name in capitals that it declares is
 * used in RULES or OUTPUT.
 *
 * Left to the reviewer: the format of each input, whether INPUT covers each input that may be missing, and names that
 * are used but not declared, which a program cannot tell from abbreviations and slots.
 */
export const inputContract: EditorialRule = {
  code: 'editorial/input-contract',
  check(view) {
    const { INPUT, RULES, OUTPUT } = view.prompt;
    if (isEmpty(INPUT)) return [];
    if (!INPUT.lines.some(({ text }) => declaration.test(text)))
      return [atHeading(view, 'INPUT', promptMessages.nothingToPaste)];
    const remarks: Remark[] = [];
    const names = INPUT.items.map(nameOf).filter((name) => name !== null);
    if (view.english && !settlesMissing(INPUT.heading + INPUT.body, view.agent.prompt, names)) {
      remarks.push(atHeading(view, 'INPUT', promptMessages.missingInputNotSettled));
    }
    if (isEmpty(RULES) || isEmpty(OUTPUT)) return remarks;
    const later = `${RULES.heading}\n${RULES.body}\n${OUTPUT.heading}\n${OUTPUT.body}`;
    for (const item of INPUT.items) {
      const name = nameOf(item);
      const others = INPUT.items.filter((other) => other !== item && nameOf(other) !== null);
      const rest = later + others.map(({ lines }) => lines.map(({ text }) => text).join('\n')).join('\n');
      if (name === null || mentions(rest, name)) continue;
      const [line] = item.lines;
      const offset = (line?.offset ?? 0) + (line?.text.indexOf(name) ?? 0);
      remarks.push(inPrompt(view, offset, name.length, promptMessages.inputNotUsed(name)));
    }
    return remarks;
  },
};

/** A list item, a table row, a placeholder, or a line that starts with a name and a colon. */
const declaration =
  /^\s*(?:[-*+•]\s|[A-Za-z]?\d+[.):]\s|\||[*_`"<[{]*\p{Lu}[\p{L}\p{N} _-]{0,30}[*_`">\]}]*\s*[:(=])|\{\{/u;

/** Returns the name in capitals that an item starts with, or null. */
function nameOf({ text }: PromptItem): string | null {
  return /^[*_`<[{]*([A-Z][A-Z0-9_]+(?:[ -][A-Z0-9_]+)*)[*_`>\]}]*\s*(?:[(:=–—]|- |$)/.exec(text)?.[1] ?? null;
}

/** Whether a text contains a name as a word, in any case, in the singular or with an s. */
function mentions(text: string, name: string): boolean {
  return new RegExp(`\\b${name.replace(/S$/, '')}(?:s|es)?\\b`, 'i').test(text);
}

/** Whether INPUT says what to do if something is missing, or a line elsewhere says it about one of the names. */
function settlesMissing(input: string, prompt: string, names: readonly string[]): boolean {
  const absent =
    /\b(?:missing|absent|empty|unavailable|left out|not (?:there|given|provided|pasted)|lacks?|lacking)\b/i;
  return (
    absent.test(input) ||
    /\b(?:unknown|without|otherwise|default|ask|assume|skip|none)\b/i.test(input) ||
    prompt.split('\n').some((line) => absent.test(line) && names.some((name) => line.includes(name)))
  );
}
