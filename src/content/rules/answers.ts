import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { locationsInYaml } from '../../schema/diagnostics/yaml-location.ts';
import { type Check, type Counterexample, roundsOf, sampleCase } from '../../schema/evals.ts';
import { evalMessages } from '../../schema/messages/evals.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { grade, kindOf, tooSlow } from '../evals/grade.ts';
import { counterexampleFile } from '../parse/evals.ts';
import {
  type AgentView,
  atHeading,
  type EditorialRule,
  inFile,
  isEmpty,
  type PromptSection,
  type Remark,
} from './rule.ts';

const checksFile = 'evals/checks.yaml';

/** The rules about answers: what OUTPUT prescribes, the sample, and recorded answers. */

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
    const isShown = OUTPUT.lines.some(({ text, fenced }) => fenced || literal.test(text));
    const isLimited = !view.english || limit.test(`${OUTPUT.heading}\n${OUTPUT.body}`);
    return [
      ...(isShown ? [] : [atHeading(view, 'OUTPUT', promptMessages.answerNotShown)]),
      ...(isLimited ? [] : [atHeading(view, 'OUTPUT', promptMessages.noLengthLimit)]),
    ];
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

/**
 * OUTPUT says what to answer if there is nothing to report.
 *
 * The check accepts a word such as "no", "none", "nothing" or "every" outside the slots. Left to the reviewer: whether
 * the sentence really covers this case.
 */
export const emptyCase: EditorialRule = {
  code: 'editorial/empty-case',
  check(view) {
    const { OUTPUT } = view.prompt;
    if (!view.english || isEmpty(OUTPUT) || nothing.test(OUTPUT.body.replace(/<[^<>\n]*>/g, ''))) return [];
    return [atHeading(view, 'OUTPUT', promptMessages.emptyCaseNotSettled)];
  },
};

const nothing =
  /\b(?:no|none|nothing|nobody|not|never|empty|every|all|each|zero|without|missing|fits?)\b|\b(?:is|are|does|do)n't\b/i;

/**
 * The sample input has 8 to 60 lines and no email address that could be someone's. The sample output contains the fixed
 * parts of the skeleton in OUTPUT.
 *
 * Left to the reviewer: whether the sample is realistic and contains a trap, whether names and other kinds of addresses
 * are invented, and whether the answer is correct. The rule text/secret covers secrets.
 */
export const sample: EditorialRule = {
  code: 'editorial/sample',
  check: (view) => [...sampleLength(view), ...realAddresses(view), ...skeleton(view)],
};

function sampleLength(view: AgentView): Remark[] {
  const text = view.agent.sampleInput;
  const lines = text.trim().split('\n').length;
  if (lines >= 8 && lines <= 60) return [];
  return [inFile(view, 'sample-input.txt', 0, text.length, textMessages.lengthOfSampleInput(lines, 8, 60))];
}

/** Addresses that look like email but reach nobody: reserved names (RFC 2606, RFC 6761), local ones, and git@host. */
const harmless =
  /^(?:git|hg|svn)@|@(?:[\w-]+\.)*(?:example(?:\.(?:com|net|org))?|[\w-]+\.(?:example|test|invalid|localhost|local|internal|lan))$/i;

function realAddresses(view: AgentView): Remark[] {
  return ['sample-input.txt', 'sample-output.txt'].flatMap((file) => {
    const addresses = [...(view.texts.get(file) ?? '').matchAll(/(?<![\w.+:/-])[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b/g)];
    return addresses
      .filter(([address]) => !harmless.test(address))
      .map(({ 0: address, index }) => inFile(view, file, index, address.length, textMessages.realAddress));
  });
}

function skeleton(view: AgentView): Remark[] {
  const text = view.agent.sampleOutput;
  const answer = normal(text);
  const { tables, parts } = fixedParts(view.prompt.OUTPUT);
  const expected = tables.length > 0 ? tables : parts;
  const [shown] = expected;
  if (shown === undefined || expected.some((part) => answer.includes(normal(part)))) return [];
  const wording =
    tables.length > 0 ? textMessages.sampleWithoutTable(shown) : textMessages.sampleWithoutSkeleton(shown);
  return [inFile(view, 'sample-output.txt', 0, text.length, wording)];
}

/**
 * Returns the literal parts of a skeleton: the header rows of its tables, its headings (also those in capital letters), its
 * labels and its JSON keys.
 */
function fixedParts({ lines }: PromptSection): { tables: string[]; parts: string[] } {
  const texts = lines.map(({ text }) => text.trim());
  const tables = texts.filter(
    (text, at) => text.startsWith('|') && !text.includes('<') && /^\|[\s:|-]+$/.test(texts[at + 1] ?? ''),
  );
  const parts = texts.flatMap((text) => {
    const heading = /^#{1,6}\s+([^<>]+)$/.exec(text)?.[1];
    const capitals = /^\p{Lu}[\p{Lu} ]{2,40}:?$/u.exec(text)?.[0];
    const label = /^(?:[-*]\s+)?([\p{L}][^<>.:!?"]{0,40}:)(?=\s+<)/u.exec(text)?.[1];
    const keys = [...text.matchAll(/"[\w-]+"\s*:/g)].map(([key]) => key);
    return [heading, capitals, label, ...keys].filter((part) => part !== undefined);
  });
  return { tables, parts };
}

function normal(text: string): string {
  return text.toLowerCase().replace(/\s+/g, '');
}

/**
 * The sample output passes the checks of the case `sample`.
 *
 * Left to the reviewer: whether the checks fail a bad answer.
 */
export const checks: EditorialRule = {
  code: 'editorial/checks',
  check({ agent, texts }) {
    const sample = agent.evals?.cases.find(({ name }) => name === sampleCase);
    if (sample === undefined) return [];
    const locationOf = locationsInYaml(texts.get('evals/checks.yaml') ?? '');
    return grade(sample.checks, agent.sampleOutput, sample.input).flatMap(({ failure }, index) => {
      const check = sample.checks[index];
      if (failure === null || check === undefined) return [];
      return [
        {
          file: 'evals/checks.yaml',
          location: locationOf([sampleCase, 'checks', index, kindOf(check)], { key: true }),
          ...textMessages.sampleFailsCheck(failure, failure === tooSlow),
        },
      ];
    });
  },
};

/** Each counterexample fails the check that names it. It is not the same text as a good answer, or another counterexample. */
export const toothless: EditorialRule = {
  code: 'editorial/toothless',
  check({ agent, texts }) {
    const answers = [...texts]
      .filter(([name]) => name === 'sample-output.txt' || /^evals\/.+\/.+\.txt$/.test(name))
      .map(([name, text]) => [name, text.trim()] as const);
    const rounds = agent.evals?.cases.flatMap(roundsOf) ?? [];
    const locationOf = locationsInYaml(texts.get(checksFile) ?? '');
    return rounds.flatMap(({ path, counterexamples }) =>
      counterexamples.flatMap(({ name, check, answer, results }) => {
        const own = counterexampleFile(name);
        const copied = answers.find(([file, text]) => file !== own && text === answer.trim());
        const failing = results.filter(({ failure }) => failure !== null).map(({ kind }) => `\`${kind}\``);
        const wording =
          copied !== undefined
            ? evalMessages.counterexampleCopied(name, copied[0])
            : results[check]?.failure === null
              ? evalMessages.counterexamplePasses(name, failing)
              : null;
        if (wording === null) return [];
        const location = locationOf([...path, check, 'catches', name], { key: true });
        return [{ file: checksFile, location, ...wording }];
      }),
    );
  },
};

/** Each check of an agent with counterexamples fails one of them. */
export const unproven: EditorialRule = {
  code: 'editorial/unproven',
  check: (view) =>
    atChecks(view, (_, index, counterexamples) =>
      counterexamples.some(({ results }) => results[index]?.failure !== null) ? null : evalMessages.checkUnproven,
    ),
};

/** Each check of an agent with counterexamples says what it is for. */
export const why: EditorialRule = {
  code: 'editorial/why',
  check: (view) => atChecks(view, (check) => (check.why === undefined ? evalMessages.whyMissing : null)),
};

/** Makes remarks about the checks of an agent with counterexamples. Others have none. */
function atChecks(
  { agent, texts }: AgentView,
  wordingOf: (check: Check, index: number, counterexamples: readonly Counterexample[]) => Wording | null,
): Remark[] {
  const rounds = agent.evals?.cases.flatMap(roundsOf) ?? [];
  if (rounds.every(({ counterexamples }) => counterexamples.length === 0)) return [];
  const locationOf = locationsInYaml(texts.get(checksFile) ?? '');
  return rounds.flatMap(({ path, checks, counterexamples }) =>
    checks.flatMap((check, index) => {
      const wording = wordingOf(check, index, counterexamples);
      if (wording === null) return [];
      const location = locationOf([...path, index, kindOf(check)], { key: true });
      return [{ file: checksFile, location, ...wording }];
    }),
  );
}

/** No two cases have the same input. */
export const sameInput: EditorialRule = {
  code: 'editorial/same-input',
  check({ agent, texts }) {
    const cases = agent.evals?.cases ?? [];
    const locationOf = locationsInYaml(texts.get(checksFile) ?? '');
    return cases.flatMap(({ name, input }, index) => {
      const other = cases.slice(0, index).find((one) => one.input.trim() === input.trim());
      if (other === undefined) return [];
      return [
        { file: checksFile, location: locationOf([name, 'input']), ...evalMessages.inputTwice(name, other.name) },
      ];
    });
  },
};

/** Recorded answers were made with the current prompt and the current input of their case. */
export const stale: EditorialRule = {
  code: 'editorial/stale',
  check: ({ agent, texts }) =>
    (agent.evals?.answers ?? []).flatMap(({ case: name, folder, recorded, stale }) => {
      if (stale === null) return [];
      const file = `evals/recordings/${folder}/recording.json`;
      return [
        {
          file,
          location: locationsInYaml(texts.get(file) ?? '')(['cases', name, `${stale}Sha256`], { key: true }),
          ...evalMessages.answerStale(stale, recorded.model, name, recorded.date),
        },
      ];
    }),
};
