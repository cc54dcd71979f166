import { promptMessages } from '../../schema/messages/prompt.ts';
import { type EditorialRule, inPrompt } from './rule.ts';

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
