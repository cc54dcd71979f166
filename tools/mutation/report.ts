import equivalents from './equivalents.json' with { type: 'json' };
import type { Mutant } from './sandbox.ts';

/**
 * Prints each survivor, then the known changes to the same files that make no difference, and the score of each file and of
 * the folder.
 */
export function report(
  folder: string,
  mutants: readonly Mutant[],
  killed: ReadonlySet<string>,
  isReached: (id: string) => boolean,
): void {
  for (const { id, file, line, change } of mutants) {
    if (!killed.has(id)) console.log(`${file}:${line}  ${change}${isReached(id) ? '' : '  (no test reaches it)'}`);
  }
  const left = new Set(mutants.filter(({ id }) => !killed.has(id)).map(({ file }) => file));
  for (const { change, where, reason } of equivalents.filter(({ where }) =>
    [...left].some((file) => where.includes(file)),
  ))
    console.log(`No test needs to notice: ${change} (${where}), since ${reason}`);
  const row = (name: string, own: readonly Mutant[]) => {
    const noticed = own.filter(({ id }) => killed.has(id)).length;
    const score = own.length === 0 ? 100 : (100 * noticed) / own.length;
    console.log(`${name.padEnd(40)} ${`${noticed}/${own.length}`.padStart(10)} ${score.toFixed(1).padStart(6)} %`);
  };
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    row(
      file,
      mutants.filter((mutant) => mutant.file === file),
    );
  }
  row(folder, mutants);
}
