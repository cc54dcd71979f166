import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync } from 'node:fs';

/** What GitHub takes of the summaries of one step, with room to spare: over 1 MiB it drops them all. */
export const maxSummaryBytes = 900 * 1024;

/**
 * Sets outputs of a step of GitHub Actions: appends them to the file that `GITHUB_OUTPUT` names. Does nothing elsewhere.
 *
 * Each value stands between marks that it cannot foresee, so that no text of an agent can set another output.
 */
export function writeOutputs(environment: NodeJS.ProcessEnv, outputs: Readonly<Record<string, string>>): void {
  const file = environment.GITHUB_OUTPUT;
  if (file === undefined || file === '') return;
  const lines = Object.entries(outputs).map(([name, value]) => {
    const mark = `end-${randomUUID()}`;
    return `${name}<<${mark}\n${value}\n${mark}\n`;
  });
  appendFileSync(file, lines.join(''));
}

/**
 * Adds blocks of Markdown to the summary of a step: to the file that `GITHUB_STEP_SUMMARY` names. Does nothing elsewhere.
 *
 * Blocks that would make the file larger than GitHub takes are left out, and the last line says how many.
 */
export function writeSummary(environment: NodeJS.ProcessEnv, blocks: readonly string[]): void {
  const file = environment.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  let room = maxSummaryBytes - (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const fitting: string[] = [];
  for (const block of blocks) {
    room -= Buffer.byteLength(block) + 1;
    if (room < 0) break;
    fitting.push(block);
  }
  const left = blocks.length - fitting.length;
  if (left > 0) fitting.push(`\n…and ${left} more, which \`catalog validate\` shows.`);
  if (fitting.length > 0) appendFileSync(file, `${fitting.join('\n')}\n`);
}
