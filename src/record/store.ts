import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkContent } from '../catalog/load.ts';
import { pathOf } from '../catalog/parse/files.ts';
import { maxFileBytes, type SourceFolder } from '../catalog/read.ts';
import { replaceFile } from '../catalog/replace-file.ts';
import type { Settings } from '../catalog/settings.ts';
import { nothingStored } from '../diagnostics/messages/evals.ts';
import { prettyReport } from '../diagnostics/report.ts';
import { OperationError } from '../errors.ts';
import { type Recorded, recordingSource } from '../schema/evals.ts';
import { NoAnswer } from './model.ts';

/** Returns the entries of a recording.json by case; none if it does not exist. Throws OperationError if it has errors. */
export function entriesOf(cwd: string, path: string): Record<string, Recorded> {
  if (!existsSync(join(cwd, path))) return {};
  try {
    return recordingSource.parse(JSON.parse(readFileSync(join(cwd, path), 'utf8'))).cases;
  } catch (cause) {
    throw new OperationError(`${path} has errors. Run catalog validate.`, { cause });
  }
}

/** Checks an answer as `catalog validate` does, and writes it to a file of an agent. Throws NoAnswer if it has errors. */
export function storeAnswer(
  { cwd, agent, file, text }: { cwd: string; agent: SourceFolder; file: string; text: string },
  settings: Settings,
  today: string,
): void {
  const bytes = Buffer.from(text.replace(/\r\n?/g, '\n'));
  if (text.trim() === '') throw new NoAnswer('The answer is empty, so it is not stored.');
  if (bytes.length > maxFileBytes)
    throw new NoAnswer(`The answer has ${bytes.length} bytes; at most ${maxFileBytes} can be stored.`);
  const path = pathOf(agent.slug, file);
  const files = [...agent.files.filter(({ name }) => name !== file), { name: file, bytes, problem: null }];
  const { folders } = checkContent([{ slug: agent.slug, files, problem: null }], settings, today);
  const errors = folders
    .flatMap(({ diagnostics }) => diagnostics)
    .filter(
      ({ file, severity, code }) => file === path && severity === 'error' && !/^(?:editorial|evals)\//.test(code),
    );
  const refused = errors.map((error) => ({ ...error, hint: nothingStored }));
  if (refused.length > 0)
    throw new NoAnswer(`The answer is not stored:\n\n${prettyReport(refused, { color: false })}\n`);
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  replaceFile(join(cwd, path), bytes);
}

/** Says in recording.json how the answer to a case was made. */
export function storeEntry(cwd: string, path: string, name: string, recorded: Recorded): void {
  const entries = Object.entries({ ...entriesOf(cwd, path), [name]: recorded }).sort(([a], [b]) => (a < b ? -1 : 1));
  replaceFile(join(cwd, path), `${JSON.stringify({ cases: Object.fromEntries(entries) }, null, 2)}\n`);
}
