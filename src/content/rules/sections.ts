import { promptMessages } from '../../schema/messages/prompt.ts';
import { sectionNames } from '../../text/prompt-text.ts';
import { atHeading, type EditorialRule, type PromptSection } from './rule.ts';

/** No section of the prompt is empty. The rule prompt/sections checks that each section exists once and in order. */
export const sections: EditorialRule = {
  code: 'editorial/sections',
  check: (view) =>
    sectionNames
      .filter((name) => isEmpty(view.prompt[name]))
      .map((name) => atHeading(view, name, promptMessages.sectionEmpty(name))),
};

/**
 * Whether a section has no text, neither in its heading line nor below it. Other rules then report nothing about it.
 */
export function isEmpty({ heading, body }: PromptSection): boolean {
  return body.trim() === '' && !/[\p{L}\p{N}]/u.test(heading);
}
