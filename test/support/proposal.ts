import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { bundled } from './catalog.ts';
import { goodPrompt, goodSampleInput, goodSampleOutput } from './good-agent.ts';

/** A GitHub issue that was written with the form "Propose an agent". */

/** Where a catalog keeps the form. */
export const formPath = '.github/ISSUE_TEMPLATE/propose-an-agent.yml';
export const formText = readFileSync(join(bundled, formPath), 'utf8');

export const goodAnswers = {
  'agent-title': 'Stock List Checker',
  category: 'coding',
  problem: 'Ada counts shelves on Fridays, and her list has rows that cannot be right, which she finds on Monday.',
  excerpt: 'Finds the rows of a stock list that cannot be right, and says for each what to look up.',
  prompt: goodPrompt,
  'sample-input': goodSampleInput,
  'sample-output': goodSampleOutput,
  runtimes: 'Claude, ChatGPT',
  difficulty: 'easy',
  notes: '',
  consent: 'ticked',
};

interface Element {
  type: string;
  id: string;
  attributes: { label: string; render?: string; options?: { label: string }[] };
}

/** The text of the GitHub issue that GitHub makes from answers, with its line ends. */
export function submitted(answers: Partial<typeof goodAnswers> = {}): string {
  const given: Record<string, string> = { ...goodAnswers, ...answers };
  const fields = (parse(formText).body as Element[]).filter(({ type }) => type !== 'markdown');
  const parts = fields.map(({ id, attributes: { label, render, options = [] } }) => {
    const value = given[id] ?? '';
    const boxes = options.map((option) => `- [${value === 'ticked' ? 'X' : ' '}] ${option.label}`).join('\n');
    const plain = options.length > 0 ? boxes : value === '' ? '_No response_' : value;
    const isFenced = render !== undefined && value !== '';
    return `### ${label}\n\n${isFenced ? `\`\`\`${render}\n${plain}\n\`\`\`` : plain}`;
  });
  return parts.join('\n\n').replaceAll('\n', '\r\n');
}
