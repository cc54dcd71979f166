import { linesOf } from '../agent-text/prompt-text.ts';
import { servedText } from '../agent-text/served-text.ts';

/** A prompt that a text may be a copy of, and how the copy differs from it if it is one. */
export interface Reading {
  text: string;
  /** `contained`: there is more text around it. */
  status: 'unchanged' | 'line-ends' | 'filled-in' | 'contained';
}

/**
 * The prompts that a text may be, the closest reading first: its bytes, other line ends, a reader's input removed, and then
 * the same of what Markdown and MCP put text around. Of a SKILL.md, the prompts that may be in it.
 */
export function* readings(text: string, isPrompt: boolean): Generator<Reading> {
  const plain = servedText(text);
  yield { text, status: 'unchanged' };
  if (isPrompt) {
    yield { text: trimmed(plain), status: 'line-ends' };
    for (const own of withoutInput(plain)) yield { text: own, status: 'filled-in' };
  }
  for (const part of isPrompt ? [plain.slice(plain.indexOf('\n\n') + 2), ...blocksOf(plain)] : promptsOfSkill(plain)) {
    for (const own of [trimmed(part), ...withoutInput(part)]) yield { text: own, status: 'contained' };
  }
}

/** A hostile text may have any number of places where a prompt could be; more than this are not looked at. */
const mostPlaces = 20;

/** The texts between code fences. */
function blocksOf(markdown: string): string[] {
  const blocks: string[][] = [[]];
  for (const { text, fenced } of linesOf(markdown).lines) {
    if (fenced) blocks.at(-1)?.push(text);
    else if (blocks.at(-1)?.length !== 0) blocks.push([]);
  }
  return blocks.slice(0, mostPlaces).map((lines) => lines.slice(1, -1).join('\n'));
}

/** The possible prompts in a SKILL.md: the heading that follows the prompt may also be in it. */
function* promptsOfSkill(skill: string): Generator<string> {
  const [, ...rest] = skill.split('\n## Prompt\n');
  const parts = rest.join('\n## Prompt\n').split('\n## How it works\n');
  for (const index of [...parts.keys()].slice(0, mostPlaces))
    yield parts.slice(0, index + 1).join('\n## How it works\n');
}

/** A text as it was before pages or MCP put a reader's input at the end of INPUT (agent-text/fill-in.ts). */
function* withoutInput(text: string): Generator<string> {
  for (const { 1: tag = '', index } of [...text.matchAll(/\n\n<(input(?:-\d+)?)[ >]/g)].slice(0, mostPlaces)) {
    const end = endOfParts(text, tag, index);
    if (end === null) continue;
    const after = text.slice(end).trimStart();
    for (const gap of ['\n\n', '\n']) yield trimmed(text.slice(0, index) + gap + after);
  }
}

/** The end of all parts of an input that follow each other from `start` on; null if there is none, or one never ends. */
function endOfParts(text: string, tag: string, start: number): number | null {
  const opening = new RegExp(`\\n\\n<${tag}(?: name="[^"\\n]*")?>(?=\\n)`, 'y');
  const closing = `\n</${tag}>`;
  let end = start;
  for (opening.lastIndex = start; opening.test(text); opening.lastIndex = end) {
    const found = text.indexOf(closing, opening.lastIndex);
    if (found === -1) return null;
    end = found + closing.length;
  }
  return end === start ? null : end;
}

/** A text without blank lines around it, and with one newline at its end. */
function trimmed(text: string): string {
  return `${text.replace(/^\n+/, '').trimEnd()}\n`;
}
