import { sectionNames } from '../../agent-text/prompt-sections.ts';
import { atHeading, type EditorialRule, type PromptSection } from './rule.ts';

/** No section of the prompt is empty. That each is there, once and in order, is structure: prompt/sections. */
export const sections: EditorialRule = {
  code: 'editorial/sections',
  check: (view) =>
    sectionNames
      .filter((name) => isEmpty(view.prompt[name]))
      .map((name) => atHeading(view, name, `The section ${name} is empty.`, `Write below it ${contents[name]}.`)),
};

/** Whether a section says nothing, neither below its heading nor beside it. The other rules then have nothing to add. */
export function isEmpty({ heading, body }: PromptSection): boolean {
  return body.trim() === '' && !/[\p{L}\p{N}]/u.test(heading);
}

const contents = {
  INPUT: 'what the reader has to paste, one thing a line',
  RULES: 'what the assistant has to keep to, one numbered rule a line',
  OUTPUT: 'the answer as it should look, with its headings, columns or keys',
};
