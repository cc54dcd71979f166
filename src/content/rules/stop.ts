import { promptMessages } from '../../schema/messages/prompt.ts';
import { type EditorialRule, inFrontMatter, inPrompt, type Remark } from './rule.ts';

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
