import { isUtf8 } from 'node:buffer';
import { type Diagnostic, diagnose, type Finding } from '../diagnostics.ts';
import { configExtensions } from '../schema/config-files.ts';
import { nearest } from '../schema/explain.ts';
import { maxSlugLength, reservedSlug, slugPattern } from '../schema/fields.ts';
import { placeAt } from '../source-text.ts';
import { requiredFiles } from './agent.ts';
import { maxFileBytes, type SourceFile, type SourceFolder, type Trouble } from './read.ts';

/** The texts of a folder that could be read, by file name, and what is wrong with the folder and its files. */
export interface FolderTexts {
  texts: ReadonlyMap<string, string>;
  /** The name of the config file, or null. */
  config: string | null;
  diagnostics: Diagnostic[];
}

/** Checks the name and the files of a folder and decodes them as UTF-8. */
export function decodeFolder(folder: SourceFolder): FolderTexts {
  const diagnostics: Diagnostic[] = [];
  const report = (finding: Omit<Finding, 'slug' | 'file'>, name = '') =>
    diagnostics.push(diagnose({ ...finding, slug: folder.slug, file: pathOf(folder.slug, name) }));

  if (folder.trouble?.kind !== 'not-a-folder') checkName(folder.slug, report);
  if (folder.trouble !== null) {
    report(explainTrouble(folder.trouble, `agents/${folder.slug}`));
    return { texts: new Map(), config: null, diagnostics };
  }
  const configs = folder.files.filter(({ name }) => /^config\.[A-Za-z0-9]+$/.test(name)).map(({ name }) => name);
  checkNames(folder, configs, report);

  const texts = new Map<string, string>();
  for (const file of folder.files) {
    const text = decode(file, (finding) => report(finding, file.name));
    if (text !== null) texts.set(file.name, text);
  }
  return { texts, config: configs[0] ?? null, diagnostics };
}

/** The path of a file of an agent from the catalog's folder; of the folder itself without a name. */
export function pathOf(slug: string, name: string): string {
  return name === '' ? `agents/${slug}` : `agents/${slug}/${name}`;
}

type Report = (finding: Omit<Finding, 'slug' | 'file'>, name?: string) => void;

function checkName(slug: string, report: Report): void {
  if (!slugPattern.test(slug) || slug.length > maxSlugLength) {
    const long = slug.length > maxSlugLength ? `, which has ${slug.length} characters` : '';
    report({
      code: 'folder/name',
      message: `The folder is called "${slug}"${long}; its name is the slug and has to be lower-case words joined by hyphens, at most ${maxSlugLength} characters.`,
      hint: `Rename the folder${proposal(slug)}.`,
    });
  } else if (reservedSlug(slug) !== null) {
    report({
      code: 'folder/reserved-name',
      message: `"${slug}" is a reserved name: ${reservedSlug(slug)}.`,
      hint: `Give the folder another name, such as ${slug}-agent.`,
    });
  }
}

function proposal(slug: string): string {
  const words = slug.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-').slice(0, maxSlugLength).replace(/-$/, '');
  return name === '' ? '' : `, for example to ${name}`;
}

function checkNames({ files }: SourceFolder, configs: string[], report: Report): void {
  const names = files.map(({ name }) => name);
  const known = new Set<string>([...requiredFiles, ...configs]);
  const strangers = files
    .filter(({ name, trouble }) => !known.has(name) && trouble?.kind !== 'not-a-file')
    .map(({ name }) => name);
  for (const name of requiredFiles.filter((required) => !names.includes(required))) {
    const slip = nearest(name, strangers);
    report({
      code: 'folder/missing-file',
      message: `${name} is missing.`,
      hint: slip === undefined ? `Add ${name}: ${filePurposes[name]}.` : `Rename ${slip} to ${name}.`,
    });
  }
  for (const name of strangers) {
    report(
      {
        code: 'folder/unknown-file',
        message: `${name} is not a file of an agent.`,
        hint: `An agent has ${requiredFiles.join(', ')} and at most one config.<ext>; rename or remove this one.`,
      },
      name,
    );
  }
  for (const name of configs) {
    const extension = name.slice('config.'.length);
    if (configExtensions.includes(extension)) continue;
    report(
      {
        code: 'config/extension',
        message: `A config can't be a .${extension} file.`,
        hint: `Use a text format that no browser or shell runs: ${configExtensions.join(', ')}.`,
      },
      name,
    );
  }
  for (const name of configs.slice(1)) {
    report(
      {
        code: 'folder/two-configs',
        message: `There are ${configs.length} configs: ${configs.join(', ')}.`,
        hint: 'Keep one of them.',
      },
      name,
    );
  }
}

const filePurposes: Record<(typeof requiredFiles)[number], string> = {
  'agent.md': 'the front matter and how the agent works',
  'prompt.txt': 'the prompt, with its sections INPUT, RULES and OUTPUT',
  'sample-input.txt': 'an input that a reader can try the prompt with',
  'sample-output.txt': 'what a good answer to the sample input looks like',
};

function decode({ name, bytes, trouble }: SourceFile, report: (finding: Omit<Finding, 'slug' | 'file'>) => void) {
  if (trouble !== null || bytes === null) {
    if (trouble !== null) report(explainTrouble(trouble, name));
    return null;
  }
  if (!isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    report({
      code: 'file/encoding',
      text,
      place: placeAt(text, firstInvalid(bytes)),
      message: `${name} is not text in UTF-8.`,
      hint: 'Save the file with the encoding UTF-8.',
    });
    return null;
  }
  const text = bytes.toString('utf8');
  const carriageReturn = text.indexOf('\r');
  if (carriageReturn !== -1) {
    report({
      code: 'file/line-ends',
      text,
      place: placeAt(text, carriageReturn),
      message: `${name} has line ends with CR (Windows or old Mac).`,
      hint: 'Save the file with LF line ends; the `.gitattributes` line `* text=auto eol=lf` keeps them so.',
    });
  }
  if (text.trim() === '') {
    report({
      code: 'file/empty',
      message: `${name} is empty.`,
      hint: 'Write its text, or remove the file if it is not needed.',
    });
    return null;
  }
  return text.replace(/\r\n?/g, '\n');
}

/** Where the first byte that is not UTF-8 falls, in UTF-16 units of the decoded text. */
function firstInvalid(bytes: Buffer): number {
  let valid = 0;
  let invalid = bytes.length;
  while (valid + 1 < invalid) {
    const middle = (valid + invalid) >> 1;
    if (startsValid(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  return startsValid(bytes.subarray(0, 1))
    ? bytes
        .subarray(0, valid)
        .toString('utf8')
        .replace(/\uFFFD$/, '').length
    : 0;
}

/** Whether bytes are UTF-8 as far as they go; a character may be cut off at their end. */
function startsValid(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function explainTrouble({ kind, reason }: Trouble, name: string): Omit<Finding, 'slug' | 'file'> {
  switch (kind) {
    case 'symlink':
      return {
        code: 'folder/symlink',
        message: `${name} is a symbolic link.`,
        hint: 'Replace it with the file or folder that it points to.',
      };
    case 'not-a-folder':
      return {
        code: 'folder/not-a-folder',
        message: `${name} is a file, and everything in agents/ has to be the folder of an agent.`,
        hint: 'Move it out of agents/, or into the folder of its agent.',
      };
    case 'not-a-file':
      return {
        code: 'folder/unknown-file',
        message: `${name} is not a plain file.`,
        hint: 'Remove it: the folder of an agent holds files only.',
      };
    case 'too-large':
      return {
        code: 'file/too-large',
        message: `${name} has ${reason} bytes; at most ${maxFileBytes} are allowed.`,
        hint: 'Shorten it: an agent is text that people read and paste.',
      };
    case 'unreadable':
      return {
        code: 'folder/unreadable',
        message: `${name} cannot be read (${reason}).`,
        hint: 'Check its permissions, and whether the disk is well.',
      };
  }
}
