import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { nearest } from '../../schema/diagnostics/suggestions.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { inputKey, inputLines, isInputName, longestName, reservedName } from '../../text/prompt-text.ts';
import {
  atHeading,
  type EditorialRule,
  inFrontMatter,
  inPrompt,
  isEmpty,
  type PromptItem,
  type Remark,
} from './rule.ts';

/** The rules about the section INPUT. */

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

/**
 * The lines of INPUT that declare an input have the form that pages and MCP read, and each name is there once.
 *
 * Lines that mark something as required or optional are reported in any other form. If one line has the form, so are list
 * items that start with a name in capitals. Left to the reviewer: prompts without any such line, which get one field.
 */
export const inputs: EditorialRule = {
  code: 'editorial/inputs',
  check(view) {
    const declared = inputLines(view.agent.prompt);
    const remarks: Remark[] = [];
    const names = new Set<string>();
    for (const { name, line } of declared) {
      const at = (wording: Wording) =>
        remarks.push(inPrompt(view, line.offset + line.text.indexOf(name), name.length, wording));
      const key = inputKey(name);
      if (key === reservedName) at(promptMessages.inputNameReserved(name));
      else if (names.has(key)) at(promptMessages.inputTwice(name));
      names.add(key);
    }
    for (const name of Object.keys(view.agent.inputs ?? {}))
      if (!declared.some((input) => input.name === name)) {
        const wording = promptMessages.inputNotDeclared(
          name,
          nearest(
            name,
            declared.map((input) => input.name),
          ),
        );
        remarks.push(inFrontMatter(view, ['inputs', name], wording));
      }
    const taken = new Set(declared.map(({ line }) => line.offset));
    for (const { text, offset, fenced } of view.prompt.INPUT.lines) {
      const near = fenced || taken.has(offset) ? null : nearly(text, declared.length > 0);
      if (near === null) continue;
      remarks.push(inPrompt(view, offset + text.indexOf(near.label), near.label.length, near.wording));
    }
    return remarks;
  },
};

const required =
  /required|mandatory|needed|erforderlich|pflicht|nötig|requis|obligatoire|requerido|obligatori|obrigatóri|必須|必填/iu;
const optional = /optional|freiwillig|optionnel|facultatif|opcional|facoltativ|opzional|任意|可选/iu;
/** A bullet, a name with marks around it, and what may follow a name. */
const item =
  /^(\s*(?:[-*+•]|\d{1,3}[.)])\s+)?[*_`<[{"“]*([\p{L}\p{N}][^:：()（）[\]=*`>}"”]{0,60}?)[*_`>\]}"”]*\s*(?:[:：(（[=–—]|-\s|$)/u;
const mark = /[(（[]([^()（）[\]]{1,40})[)）\]]/gu;

/** Whether a line was probably meant to declare an input: what it calls it, and what is wrong with it. */
function nearly(text: string, othersHaveForm: boolean): { label: string; wording: Wording } | null {
  const [, bullet, label] = item.exec(text.trimEnd()) ?? [];
  // An indented item below a declared one belongs to it.
  if (label === undefined || (othersHaveForm && /^(?:\s{2}|\t)/.test(text))) return null;
  const marks = [...text.matchAll(mark)].map(([, words]) => words).join(' ');
  const kind = optional.test(marks) ? 'optional' : required.test(marks) ? 'required' : null;
  const capitals = /\p{L}{2}/u.test(label) && label === label.toUpperCase() && label !== label.toLowerCase();
  const meant = kind === null ? bullet !== undefined && capitals && othersHaveForm : bullet !== undefined || capitals;
  if (!meant) return null;
  if (!isInputName(label))
    return { label, wording: promptMessages.inputWithWrongName(kind ?? 'required', longestName) };
  return { label, wording: promptMessages.inputWithoutForm(label, kind === null ? ['required', 'optional'] : [kind]) };
}

/** Texts that other people write and a reader pastes. */
const fromOthers =
  /\b(?:e-?mails?|mails|tickets?|web ?(?:pages?|sites?)|news articles?|threads?|chats?|transcripts?|(?:server|access|error|build|chat|ci) logs?|release notes|changelogs?|reviews|survey answers|bug reports?|comments|(?:blog|forum) posts?|newsletters?)\b/i;

const isData =
  /\bdata\b|\buntrusted\b|\binjections?\b|\binstructions?\b|\bcommands? in\b|\bobey|\borders? (?:found|in|to)\b|\b(?:tells?|addresse?s?|speaks? to|asks?) (?:you|the assistant|the model)\b/i;

/**
 * If INPUT names texts of other people, the prompt says that they are data, or how to treat instructions in them.
 *
 * Left to the reviewer: inputs whose names do not show where they come from, and whether the sentence is clear.
 */
export const untrusted: EditorialRule = {
  code: 'editorial/untrusted',
  check(view) {
    const { INPUT, RULES } = view.prompt;
    if (!view.english || isData.test(INPUT.heading + INPUT.body + RULES.body)) return [];
    const source = fromOthers.exec(INPUT.body);
    if (source === null) return [];
    const offset = INPUT.end - INPUT.body.length + source.index;
    return [inPrompt(view, offset, source[0].length, promptMessages.inputNotCalledData)];
  },
};
