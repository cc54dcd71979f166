import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { linesOf, sectionNames } from '../../text/prompt-text.ts';
import {
  atHeading,
  type EditorialRule,
  inFrontMatter,
  inPrompt,
  isEmpty,
  type PromptItem,
  type Remark,
} from './rule.ts';

/** The rules about the sections of a prompt, and about RULES in particular. */

/** No section of the prompt is empty. The rule prompt/sections checks that each section exists once and in order. */
export const sections: EditorialRule = {
  code: 'editorial/sections',
  check: (view) =>
    sectionNames
      .filter((name) => isEmpty(view.prompt[name]))
      .map((name) => atHeading(view, name, promptMessages.sectionEmpty(name))),
};

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

/**
 * At least three rules contain something that can be checked, and the prompt contains no empty praise.
 *
 * A number, a limit, a condition or a literal text can be checked. Left to the reviewer: whether it is a good test.
 */
export const measurable: EditorialRule = {
  code: 'editorial/measurable',
  check(view) {
    if (!view.english) return [];
    const { items } = view.prompt.RULES;
    const tests = items.filter(({ text }) => checkable.test(text)).length;
    const few =
      items.length < 3 || tests >= 3
        ? []
        : [atHeading(view, 'RULES', promptMessages.fewRulesCheckable(items.length, tests))];
    const empty = linesOf(view.agent.prompt)
      .lines.filter(({ fenced }) => !fenced)
      .flatMap(({ text, offset }) =>
        [...blankQuoted(text).matchAll(emptyWords)].map(({ 0: word, index }) =>
          inPrompt(view, offset + index, word.length, promptMessages.emptyPraise(word)),
        ),
      );
    return [...few, ...empty];
  },
};

const checkable =
  /\d|["`]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice|half|third|first|last|every|each|all|only|exactly|none|most|least|fewer|more|longer|same|verbatim|cite|quote|name|if|unless|when|where|until)\b/i;

/** "best" is allowed in phrases such as "at best" and "best before". */
const emptyWords =
  /\b(?:world-class|high(?:est)?[- ]quality|comprehensive|(?<!\b(?:at|second) )best(?![- ](?:before|case|effort)))\b/gi;

/** Replaces quoted text in a line with blanks: a rule that quotes a word does not use it. */
function blankQuoted(text: string): string {
  return text.replace(/"[^"]*"|`[^`]*`|“[^”]*”/g, (quoted) => ' '.repeat(quoted.length));
}

/**
 * A rule says to answer `unknown` for anything that INPUT does not say. This word is the one sign of grounding that all
 * prompts share.
 *
 * Left to the reviewer: whether facts come only from INPUT, and whether quotes are verbatim and have a location.
 */
export const ground: EditorialRule = {
  code: 'editorial/ground',
  check(view) {
    const { RULES } = view.prompt;
    if (!view.english || isEmpty(RULES) || /\bunknowns?\b/i.test(RULES.heading + RULES.body)) return [];
    return [atHeading(view, 'RULES', promptMessages.unknownFactsNotSettled)];
  },
};

/**
 * A rule that tells the assistant to send, publish, install, pay or change files also tells it to ask first. An agent
 * about law, health or taxes says that a person decides.
 *
 * Left to the reviewer: actions that are not the first verb of a rule, and other limits of competence.
 */
export const stop: EditorialRule = {
  code: 'editorial/stop',
  check(view) {
    if (!view.english) return [];
    const { agent, prompt } = view;
    const remarks: Remark[] = [];
    const act = prompt.RULES.items.find(({ text }) => acts.test(text));
    const [line] = act?.lines ?? [];
    if (act !== undefined && line !== undefined && !asksFirst.test(prompt.RULES.body + prompt.OUTPUT.body)) {
      const verb = acts.exec(act.text)?.[0] ?? '';
      remarks.push(
        inPrompt(view, line.offset + line.text.indexOf(act.text), verb.length, promptMessages.actsWithoutAsking),
      );
    }
    const [topic] = delicate.exec([agent.title, agent.excerpt, ...agent.tags].join('\n')) ?? [];
    if (topic !== undefined && !personDecides.test(agent.prompt)) {
      const path = delicate.test(agent.title) ? ['title'] : delicate.test(agent.excerpt) ? ['excerpt'] : ['tags'];
      remarks.push(inFrontMatter(view, path, promptMessages.nobodyDecides(topic)));
    }
    return remarks;
  },
};

const acts =
  /^(?:(?:send|publish|deploy|install|submit|pay|buy|purchase|transfer)\b|(?:delete|overwrite|rename|move|create|edit)\b(?=.{0,30}\b(?:files?|branch(?:es)?|databases?|mails?|folders?|tickets?|accounts?|repositor(?:y|ies))\b))/i;

const asksFirst =
  /\bask(?:s|ing)? (?:first|before|me|us|whether|the (?:reader|user|owner|person)|for (?:a yes|a go|permission|confirmation|approval))\b|\b(?:confirm\w*|approv\w+|permission|consent|drafts?|person|human|waits?|before you|owner)\b|\b(?:do not|don't|never|nothing)\b.{0,40}\b(?:send|publish|deploy|install|submit|pay|buy|transfer|delete|overwrite|write|change|run)\b/i;

const delicate =
  /\b(?:legal|lawyers?|lawsuits?|medical|medications?|medicines?|patients|symptoms|dosages?|tax(?:es)?|mortgages?|investments?|pensions?|insurance)\b/i;

const personDecides =
  /\b(?:person|human|people|lawyers?|attorney|solicitor|doctor|physician|pharmacist|accountant|advis[eo]rs?|professionals?|decides?|owner)\b/i;
