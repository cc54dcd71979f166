import { promptMessages } from '../../schema/messages/prompt.ts';
import { atHeading, type EditorialRule, type Remark } from './rule.ts';
import { isEmpty } from './sections.ts';

/**
 * OUTPUT contains something literal (a heading, a list, a table, a label, a JSON key, or a slot in <angle brackets>)
 * and a limit of length.
 *
 * Left to the reviewer: whether the skeleton is complete and in a sensible order, and whether a reader can check it by
 * eye.
 */
export const outputShape: EditorialRule = {
  code: 'editorial/output-shape',
  check(view) {
    const { OUTPUT } = view.prompt;
    if (isEmpty(OUTPUT)) return [];
    const remarks: Remark[] = [];
    if (!OUTPUT.lines.some(({ text, fenced }) => fenced || literal.test(text))) {
      remarks.push(atHeading(view, 'OUTPUT', promptMessages.answerNotShown));
    }
    if (view.english && !limit.test(`${OUTPUT.heading}\n${OUTPUT.body}`)) {
      remarks.push(atHeading(view, 'OUTPUT', promptMessages.noLengthLimit));
    }
    return remarks;
  },
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
