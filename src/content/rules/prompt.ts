import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { nearest } from '../../schema/diagnostics/suggestions.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import {
  inputKey,
  inputLines,
  isInputName,
  type Line,
  linesOf,
  longestName,
  reservedName,
  sectionNames,
} from '../../text/prompt-text.ts';
import { type EditorialRules, isEmpty, type Remark } from './rule.ts';

/** The rules about a prompt: first those about its section INPUT, then those about its sections and about RULES. */
export const promptRules: EditorialRules = {
  /**
   * INPUT lists what to paste, and says what to do if something is missing. Each name in capitals that it declares is
   * used in RULES or OUTPUT.
   *
   * Left to the reviewer: the format of each input, whether INPUT covers each input that may be missing, and names that
   * are used but not declared, which a program cannot tell from abbreviations and slots.
   */
  'editorial/input-contract'(view) {
    const { INPUT, RULES, OUTPUT } = view.prompt;
    if (isEmpty(INPUT)) return [];
    if (!INPUT.lines.some(({ text }) => declaration.test(text)))
      return [view.atHeading('INPUT', promptMessages.nothingToPaste)];
    const remarks: Remark[] = [];
    const names = INPUT.items.map(nameOf).filter((name) => name !== null);
    if (view.english && !settlesMissing(INPUT.heading + INPUT.body, view.agent.prompt, names)) {
      remarks.push(view.atHeading('INPUT', promptMessages.missingInputNotSettled));
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
      remarks.push(view.inPrompt(offset, name.length, promptMessages.inputNotUsed(name)));
    }
    return remarks;
  },

  /**
   * The lines of INPUT that declare an input have the form that pages and MCP read, and each name is there once.
   *
   * Lines that mark something as required or optional are reported in any other form. If one line has the form, so are list
   * items that start with a name in capitals. Left to the reviewer: prompts without any such line, which get one field.
   */
  'editorial/inputs'(view) {
    const declared = inputLines(view.agent.prompt);
    const remarks: Remark[] = [];
    const names = new Set<string>();
    for (const { name, line } of declared) {
      const at = (wording: Wording) =>
        remarks.push(view.inPrompt(line.offset + line.text.indexOf(name), name.length, wording));
      const key = inputKey(name);
      if (key === reservedName) at(promptMessages.inputNameReserved(name));
      else if (names.has(key)) at(promptMessages.inputTwice(name));
      names.add(key);
    }
    const declaredNames = declared.map(({ name }) => name);
    for (const name of Object.keys(view.agent.inputs ?? {}).filter((name) => !declaredNames.includes(name))) {
      const wording = promptMessages.inputNotDeclared(name, nearest(name, declaredNames));
      remarks.push(view.inFrontMatter(['inputs', name], wording));
    }
    const taken = new Set(declared.map(({ line }) => line.offset));
    for (const { text, offset, fenced } of view.prompt.INPUT.lines) {
      const near = fenced || taken.has(offset) ? null : nearly(text, declared.length > 0);
      if (near === null) continue;
      remarks.push(view.inPrompt(offset + text.indexOf(near.label), near.label.length, near.wording));
    }
    return remarks;
  },

  /**
   * If INPUT names texts of other people, the prompt says that they are data, or how to treat instructions in them.
   *
   * Left to the reviewer: inputs whose names do not show where they come from, and whether the sentence is clear.
   */
  'editorial/untrusted'(view) {
    const { INPUT, RULES } = view.prompt;
    if (!view.english || isData.test(INPUT.heading + INPUT.body + RULES.body)) return [];
    const source = fromOthers.exec(INPUT.body);
    if (source === null) return [];
    const offset = INPUT.end - INPUT.body.length + source.index;
    return [view.inPrompt(offset, source[0].length, promptMessages.inputNotCalledData)];
  },

  /** No section of the prompt is empty. The rule prompt/sections checks that each section exists once and in order. */
  'editorial/sections': (view) =>
    sectionNames
      .filter((name) => isEmpty(view.prompt[name]))
      .map((name) => view.atHeading(name, promptMessages.sectionEmpty(name))),

  /**
   * There are 5 to 12 rules of one line each. None starts as a description ("You should …"), and no short prohibition
   * lacks an alternative or a reason.
   *
   * Left to the reviewer: whether a rule is an instruction, and whether longer prohibitions say what to do instead, or
   * why.
   */
  'editorial/rules-count'(view) {
    const { RULES } = view.prompt;
    if (isEmpty(RULES)) return [];
    const remarks: Remark[] = [];
    const count = RULES.items.length;
    if (count < 5 || count > 12) {
      remarks.push(view.atHeading('RULES', promptMessages.numberOfRules(count, 5, 12)));
    }
    const at = ({ lines: [line] }: { lines: readonly Line[] }, wording: Wording) =>
      remarks.push(view.inPrompt(line?.offset ?? 0, line?.text.length ?? 1, wording));
    const long = RULES.items.find(({ lines }) => lines.length > 1);
    if (long !== undefined) at(long, promptMessages.ruleOfSeveralLines);
    if (!view.english) return remarks;
    for (const item of RULES.items) {
      if (description.test(item.text)) at(item, promptMessages.ruleDescribes);
      else if (isBareProhibition(item.text)) at(item, promptMessages.ruleOnlyForbids);
    }
    return remarks;
  },

  /**
   * At least three rules contain something that can be checked, and the prompt contains no empty praise.
   *
   * A number, a limit, a condition or a literal text can be checked. Left to the reviewer: whether it is a good test.
   */
  'editorial/measurable'(view) {
    if (!view.english) return [];
    const { items } = view.prompt.RULES;
    const tests = items.filter(({ text }) => checkable.test(text)).length;
    const few =
      items.length < 3 || tests >= 3
        ? []
        : [view.atHeading('RULES', promptMessages.fewRulesCheckable(items.length, tests))];
    const empty = linesOf(view.agent.prompt)
      .lines.filter(({ fenced }) => !fenced)
      .flatMap(({ text, offset }) =>
        [...blankQuoted(text).matchAll(emptyWords)].map(({ 0: word, index }) =>
          view.inPrompt(offset + index, word.length, promptMessages.emptyPraise(word)),
        ),
      );
    return [...few, ...empty];
  },

  /**
   * A rule says to answer `unknown` for anything that INPUT does not say. This word is the one sign of grounding that all
   * prompts share.
   *
   * Left to the reviewer: whether facts come only from INPUT, and whether quotes are verbatim and have a location.
   */
  'editorial/ground'(view) {
    const { RULES } = view.prompt;
    if (!view.english || isEmpty(RULES) || /\bunknowns?\b/i.test(RULES.heading + RULES.body)) return [];
    return [view.atHeading('RULES', promptMessages.unknownFactsNotSettled)];
  },

  /**
   * A rule that tells the assistant to send, publish, install, pay or change files also tells it to ask first. An agent
   * about law, health or taxes says that a person decides.
   *
   * Left to the reviewer: actions that are not the first verb of a rule, and other limits of competence.
   */
  'editorial/stop'(view) {
    if (!view.english) return [];
    const { agent, prompt } = view;
    const remarks: Remark[] = [];
    const act = prompt.RULES.items.find(({ text }) => acts.test(text));
    const [line] = act?.lines ?? [];
    if (act !== undefined && line !== undefined && !asksFirst.test(prompt.RULES.body + prompt.OUTPUT.body)) {
      const verb = acts.exec(act.text)?.[0] ?? '';
      remarks.push(
        view.inPrompt(line.offset + line.text.indexOf(act.text), verb.length, promptMessages.actsWithoutAsking),
      );
    }
    const [topic] = delicate.exec([agent.title, agent.excerpt, ...agent.tags].join('\n')) ?? [];
    if (topic !== undefined && !personDecides.test(agent.prompt)) {
      const path = delicate.test(agent.title) ? ['title'] : delicate.test(agent.excerpt) ? ['excerpt'] : ['tags'];
      remarks.push(view.inFrontMatter(path, promptMessages.nobodyDecides(topic)));
    }
    return remarks;
  },
};

/** A list item, a table row, a placeholder, or a line that starts with a name and a colon. */
const declaration =
  /^\s*(?:[-*+•]\s|[A-Za-z]?\d+[.):]\s|\||[*_`"<[{]*\p{Lu}[\p{L}\p{N} _-]{0,30}[*_`">\]}]*\s*[:(=])|\{\{/u;

/** Returns the name in capitals that an item starts with, or null. */
function nameOf({ text }: Pick<Line, 'text'>): string | null {
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

const description =
  /^(?:please\b|(?:you|the (?:agent|assistant|model|ai|answer)) (?:should|must|needs? to|ha(?:s|ve) to|will|can|may|are)\b)/i;

const wayOut =
  /[,;:()–—]|\.\s|\b(?:instead|because|since|unless|until|but|rather|so|without|except|only|if|when|write|say|ask|than|beyond|from|that|which)\b/i;

function isBareProhibition(rule: string): boolean {
  const text = rule.trim();
  const [, forbidden] = /^(?:never|do not|don't|avoid)\b(.*)$/i.exec(text) ?? [];
  return forbidden !== undefined && text.split(/\s+/).length <= 8 && !wayOut.test(forbidden);
}

const checkable =
  /\d|["`]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice|half|third|first|last|every|each|all|only|exactly|none|most|least|fewer|more|longer|same|verbatim|cite|quote|name|if|unless|when|where|until)\b/i;

/** "best" is allowed in phrases such as "at best" and "best before". */
const emptyWords =
  /\b(?:world-class|high(?:est)?[- ]quality|comprehensive|(?<!\b(?:at|second) )best(?![- ](?:before|case|effort)))\b/gi;

/** Replaces quoted text in a line with blanks: a rule that quotes a word does not use it. */
function blankQuoted(text: string): string {
  return text.replace(/"[^"]*"|`[^`]*`|“[^”]*”/g, (quoted) => ' '.repeat(quoted.length));
}

const acts =
  /^(?:(?:send|publish|deploy|install|submit|pay|buy|purchase|transfer)\b|(?:delete|overwrite|rename|move|create|edit)\b(?=.{0,30}\b(?:files?|branch(?:es)?|databases?|mails?|folders?|tickets?|accounts?|repositor(?:y|ies))\b))/i;

const asksFirst =
  /\bask(?:s|ing)? (?:first|before|me|us|whether|the (?:reader|user|owner|person)|for (?:a yes|a go|permission|confirmation|approval))\b|\b(?:confirm\w*|approv\w+|permission|consent|drafts?|person|human|waits?|before you|owner)\b|\b(?:do not|don't|never|nothing)\b.{0,40}\b(?:send|publish|deploy|install|submit|pay|buy|transfer|delete|overwrite|write|change|run)\b/i;

const delicate =
  /\b(?:legal|lawyers?|lawsuits?|medical|medications?|medicines?|patients|symptoms|dosages?|tax(?:es)?|mortgages?|investments?|pensions?|insurance)\b/i;

const personDecides =
  /\b(?:person|human|people|lawyers?|attorney|solicitor|doctor|physician|pharmacist|accountant|advis[eo]rs?|professionals?|decides?|owner)\b/i;
