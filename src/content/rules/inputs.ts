import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { inputKey, inputLines, isInputName, longestName, reservedName } from '../../text/prompt-text.ts';
import { type EditorialRule, inPrompt, type Remark } from './rule.ts';

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
