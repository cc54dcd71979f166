import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync } from 'node:fs';

/** The most bytes of summaries in one step. GitHub drops all of them if they exceed 1 MiB. */
export const maxSummaryBytes = 900 * 1024;

/**
 * Sets outputs of a step in GitHub Actions by appending them to the file in `GITHUB_OUTPUT`. Does nothing elsewhere.
 *
 * Each value is enclosed in random marks, so that no text of an agent can set another output.
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
 * Adds blocks of Markdown to the summary of a step, the file in `GITHUB_STEP_SUMMARY`. Does nothing elsewhere.
 *
 * Blocks that would exceed GitHub's limit are left out, and the last line says how many.
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
