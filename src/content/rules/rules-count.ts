import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { atHeading, type EditorialRule, inPrompt, type PromptItem, type Remark } from './rule.ts';
import { isEmpty } from './sections.ts';

/**
 * There are 5 to 12 rules of one line each. None starts as a description ("You should …"), and no short prohibition
 * lacks an alternative or a reason.
 *
 * Left to the reviewer: whether a rule is an instruction, and whether longer prohibitions say what to do instead, or
 * why.
 */
export const rulesCount: EditorialRule = {
  code: 'editorial/rules-count',
  check(view) {
    const { RULES } = view.prompt;
    if (isEmpty(RULES)) return [];
    const remarks: Remark[] = [];
    const count = RULES.items.length;
    if (count < 5 || count > 12) {
      remarks.push(atHeading(view, 'RULES', promptMessages.numberOfRules(count, 5, 12)));
    }
    const at = ({ lines: [line] }: PromptItem, wording: Wording) =>
      remarks.push(inPrompt(view, line?.offset ?? 0, line?.text.length ?? 1, wording));
    const long = RULES.items.find(({ lines }) => lines.length > 1);
    if (long !== undefined) at(long, promptMessages.ruleOfSeveralLines);
    if (!view.english) return remarks;
    for (const item of RULES.items) {
      if (description.test(item.text)) at(item, promptMessages.ruleDescribes);
      else if (isBareProhibition(item.text)) at(item, promptMessages.ruleOnlyForbids);
    }
    return remarks;
  },
};

const description =
  /^(?:please\b|(?:you|the (?:agent|assistant|model|ai|answer)) (?:should|must|needs? to|ha(?:s|ve) to|will|can|may|are)\b)/i;

const wayOut =
  /[,;:()–—]|\.\s|\b(?:instead|because|since|unless|until|but|rather|so|without|except|only|if|when|write|say|ask|than|beyond|from|that|which)\b/i;

function isBareProhibition(rule: string): boolean {
  const text = rule.trim();
  const [, forbidden] = /^(?:never|do not|don't|avoid)\b(.*)$/i.exec(text) ?? [];
  return forbidden !== undefined && text.split(/\s+/).length <= 8 && !wayOut.test(forbidden);
}
