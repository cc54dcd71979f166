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
      remarks.push(
        atHeading(
          view,
          'RULES',
          `RULES has ${count === 1 ? '1 rule' : `${count} rules`}; it should have 5 to 12.`,
          count < 5
            ? 'Add what a careful colleague would check, one rule per line.'
            : 'Merge or remove some: models forget a few of many rules.',
        ),
      );
    }
    const at = ({ lines: [line] }: PromptItem, message: string, hint: string) =>
      remarks.push(inPrompt(view, line?.offset ?? 0, line?.text.length ?? 1, message, hint));
    const long = RULES.items.find(({ lines }) => lines.length > 1);
    if (long !== undefined) {
      at(long, 'This rule spans several lines.', 'Write each rule on one line, and split a long rule into two.');
    }
    if (!view.english) return remarks;
    for (const item of RULES.items) {
      if (description.test(item.text)) {
        at(item, 'This rule describes the assistant instead of telling it what to do.', 'Start with the verb.');
      } else if (isBareProhibition(item.text)) {
        at(item, 'This rule forbids something without an alternative.', 'Add what to do instead, or why.');
      }
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
