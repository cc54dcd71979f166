import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evalsFolder, pathOf } from '../catalog/parse/files.ts';
import { conflictFinding } from '../catalog/parse/unfinished.ts';
import type { SourceFolder } from '../catalog/read.ts';
import { replaceFile } from '../catalog/replace-file.ts';
import { OperationError } from '../errors.ts';
import { diffOf } from '../text-safety/diff.ts';
import {
  withLowercaseTags,
  withOrderedDemo,
  withOrderedKeys,
  withoutSpacesInMarkdown,
  withPlainHyphens,
} from './front-matter.ts';
import {
  withFinalNewline,
  withLineFeeds,
  withoutByteOrderMark,
  withoutTrailingSpaces,
  withStraightQuotes,
} from './texts.ts';

/** The mechanical changes to one file. */
export interface FileFix {
  /** Path from the catalog folder, with slashes. */
  file: string;
  /** What changes, such as `line endings`. */
  fixes: string[];
  /** The changes as a unified diff; empty if only the line endings change. */
  diff: string;
  before: Buffer;
  after: string;
}

type Step = [name: string, apply: (text: string) => string];

const encoding: Step[] = [
  ['byte-order mark', withoutByteOrderMark],
  ['line endings', withLineFeeds],
];
const finalNewline: Step = ['final newline', withFinalNewline];
const sample: Step[] = [...encoding, finalNewline];

/**
 * Returns the changes that `catalog fix` makes to a file, in order. A published prompt keeps its text, since readers and
 * digests rely on it, and changes only where a build would fail. Samples, configs and the files in evals/ are data: their
 * lines keep their spaces and quotes.
 */
function stepsFor(name: string, isPublished: boolean): Step[] {
  switch (name) {
    case 'agent.md':
      return [
        ...encoding,
        ['hyphens', withPlainHyphens],
        ['trailing spaces', withoutSpacesInMarkdown],
        ['order of keys', withOrderedKeys],
        ['order of the demo', withOrderedDemo],
        ['tags', withLowercaseTags],
        finalNewline,
      ];
    case 'prompt.txt': {
      const wording: Step[] = [
        ['trailing spaces', withoutTrailingSpaces],
        ['curly quotes', withStraightQuotes],
      ];
      return [...encoding, ...(isPublished ? [] : wording), finalNewline];
    }
    case 'sample-input.txt':
    case 'sample-output.txt':
      return sample;
    default:
      return /^config\.[A-Za-z0-9]+$/.test(name) || name.startsWith(evalsFolder) ? encoding : [];
  }
}

/**
 * Returns the mechanical changes to the files of a folder. Files that are no text, are empty, or have a merge conflict
 * are left to a person. Only the input of a case may be empty, and its line endings are fixed then too.
 */
export function fixesOf({ slug, files }: SourceFolder, isPublished: boolean): FileFix[] {
  return files.flatMap(({ name, bytes }) => {
    if (bytes === null || !isUtf8(bytes) || bytes.includes(0)) return [];
    const before = bytes.toString('utf8');
    const isEmpty = before.trim() === '' && !name.startsWith(evalsFolder);
    if (isEmpty || conflictFinding(withLineFeeds(before)) !== null) return [];
    const fixes: string[] = [];
    let after = before;
    for (const [fix, apply] of stepsFor(name, isPublished)) {
      const next = apply(after);
      if (next !== after) fixes.push(fix);
      after = next;
    }
    if (fixes.length === 0) return [];
    const file = pathOf(slug, name);
    return [{ file, fixes, diff: diffOf(file, withLineFeeds(before), after), before: bytes, after }];
  });
}

/** Returns a folder as `catalog fix` would leave it. */
export function fixed(folder: SourceFolder, isPublished: boolean): SourceFolder {
  const { slug, problem } = folder;
  const fixes = new Map(fixesOf(folder, isPublished).map(({ file, after }) => [file, Buffer.from(after)]));
  const files = folder.files.map((file) => ({ ...file, bytes: fixes.get(pathOf(slug, file.name)) ?? file.bytes }));
  return { slug, files, problem };
}

/** Writes the changes. Throws OperationError, before the first change, if a file is no longer as it was read. */
export function writeFixes(cwd: string, fixes: readonly FileFix[]): void {
  for (const { file, before } of fixes) {
    if (readFileSync(join(cwd, file)).equals(before)) continue;
    throw new OperationError(`${file} changed while it was being fixed. Nothing was written: run catalog fix again.`);
  }
  for (const { file, after } of fixes) replaceFile(join(cwd, file), after);
}
