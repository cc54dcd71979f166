import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { compareText } from '../compare.ts';
import { OperationError, systemReason } from '../errors.ts';
import { download } from './download.ts';
import { type Found, fileFormats, formatOf, type Skipped, type Unusable } from './formats.ts';
import { readPromptFile } from './prompt-file.ts';
import { readPromptsChat } from './prompts-chat.ts';

export function isAddress(from: string): boolean {
  return /^https?:\/\//i.test(from);
}

/**
 * Reads the prompts in a file, a folder or at an address, one at a time. Without a format, names say which one a file has. Folders are searched for the files of the format,
 * in the order of their paths; symbolic links, .git and node_modules within them are left out.
 *
 * Throws OperationError if nothing can be read there.
 */
export async function* readPrompts(
  given: string | undefined,
  from: string,
): AsyncGenerator<Found | Skipped | Unusable> {
  const name = isAddress(from) ? pathIn(from) : from;
  const format = given ?? formatOf(basename(name)) ?? 'text';
  if (format === 'prompts-chat') {
    const chunks = isAddress(from) ? await downloaded(from) : null;
    const open = () => (chunks === null ? createReadStream(existingFile(from)) : Readable.from(chunks));
    // A broken CSV is refused before anything of it is imported.
    for await (const _ of readPromptsChat(open()));
    yield* readPromptsChat(open());
    return;
  }
  if (isAddress(from)) {
    const chunks = await downloaded(from);
    yield readPromptFile(format, name, Buffer.concat(chunks), []);
    return;
  }
  const root = resolve(from);
  const files = promptFiles(given, root);
  if (files.length === 0)
    throw new OperationError(
      `${from} has no files of ${given === undefined ? 'a format that can be imported' : `the format ${given}`}.`,
    );
  // The folder of a file can be its name.
  const base = files[0] === root ? dirname(dirname(root)) : dirname(root);
  for (const path of files) {
    const beside = readdirSync(dirname(path)).filter((name) => name !== basename(path) && !name.startsWith('.'));
    const shown = relative(base, path).split(sep).join('/');
    yield readPromptFile(
      given ?? formatOf(basename(path)) ?? 'text',
      shown,
      readFileSync(path),
      beside.sort(compareText),
    );
  }
}

async function downloaded(address: string): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of download(address)) chunks.push(chunk);
  return chunks;
}

/** The path of an address, without percent-encoding. */
function pathIn(address: string): string {
  const { pathname } = new URL(address);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

function existingFile(path: string): string {
  if (kindOf(path) === 'file') return path;
  throw new OperationError(`${path} is not a file. Name the CSV itself.`);
}

function promptFiles(format: string | undefined, path: string): string[] {
  if (kindOf(path) === 'file') return [path];
  const isPrompt = (name: string) =>
    format === undefined
      ? /^(?!prompts-chat)/.test(formatOf(name) ?? 'prompts-chat')
      : fileFormats[format]?.files.test(name);
  const found = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isPrompt(entry.name))
    .filter(({ parentPath }) => !/(?:^|[\\/])(?:\.git|node_modules)(?:[\\/]|$)/.test(relative(path, parentPath)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort(compareText);
  if (format !== undefined) return found;
  // Other texts in the folder of a skill or pattern are its files, not prompts.
  const owners = found.filter((file) => /^(?:SKILL|system)\.md$/.test(basename(file)));
  return found.filter(
    (file) => owners.includes(file) || !owners.some((owner) => file.startsWith(`${dirname(owner)}${sep}`)),
  );
}

function kindOf(path: string): 'file' | 'folder' {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return 'folder';
    if (stats.isFile()) return 'file';
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new OperationError(
      `${path} cannot be read: ${code === 'ENOENT' ? 'it does not exist' : systemReason(code)}.`,
      { cause: error },
    );
  }
  throw new OperationError(`${path} is neither a file nor a folder.`);
}
