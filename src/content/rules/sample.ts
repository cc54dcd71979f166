import { locationAt } from '../../schema/diagnostics/location.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import type { AgentView, EditorialRule, PromptSection, Remark } from './rule.ts';

/**
 * The sample input has 8 to 60 lines and no email address that could be someone's. The sample output contains the fixed
 * parts of the skeleton in OUTPUT.
 *
 * Left to the reviewer: whether the sample is realistic and contains a trap, whether names and other kinds of addresses
 * are invented, and whether the answer is correct. The rule text/secret covers secrets.
 */
export const sample: EditorialRule = {
  code: 'editorial/sample',
  check: (view) => [...length(view), ...realAddresses(view), ...skeleton(view)],
};

function length({ agent }: AgentView): Remark[] {
  const text = agent.sampleInput;
  const lines = text.trim().split('\n').length;
  if (lines >= 8 && lines <= 60) return [];
  return [
    {
      file: 'sample-input.txt',
      location: locationAt(text, 0, text.length),
      ...textMessages.lengthOfSampleInput(lines, 8, 60),
    },
  ];
}

/** Addresses that look like email but reach nobody: reserved names (RFC 2606, RFC 6761), local ones, and git@host. */
const harmless =
  /^(?:git|hg|svn)@|@(?:[\w-]+\.)*(?:example(?:\.(?:com|net|org))?|[\w-]+\.(?:example|test|invalid|localhost|local|internal|lan))$/i;

function realAddresses({ texts }: AgentView): Remark[] {
  return ['sample-input.txt', 'sample-output.txt'].flatMap((file) => {
    const text = texts.get(file) ?? '';
    const found = [...text.matchAll(/(?<![\w.+:/-])[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b/g)];
    return found
      .filter(([address]) => !harmless.test(address))
      .map(({ 0: address, index }) => ({
        file,
        location: locationAt(text, index, address.length),
        ...textMessages.realAddress,
      }));
  });
}

function skeleton({ agent, prompt }: AgentView): Remark[] {
  const text = agent.sampleOutput;
  const answer = normal(text);
  const { tables, parts } = fixedParts(prompt.OUTPUT);
  const wanted = tables.length > 0 ? tables : parts;
  const [shown] = wanted;
  if (shown === undefined || wanted.some((part) => answer.includes(normal(part)))) return [];
  const wording =
    tables.length > 0 ? textMessages.sampleWithoutTable(shown) : textMessages.sampleWithoutSkeleton(shown);
  return [{ file: 'sample-output.txt', location: locationAt(text, 0, text.length), ...wording }];
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
