import type { requiredFiles } from '../agent.ts';
import type { Messages, Wording } from '../diagnostics/diagnostic.ts';

const filePurposes: Record<(typeof requiredFiles)[number], string> = {
  'agent.md': 'the front matter and how the agent works',
  'prompt.txt': 'the prompt, with its sections INPUT, RULES and OUTPUT',
  'sample-input.txt': 'an input that a reader can try the prompt with',
  'sample-output.txt': 'a good answer to the sample input',
};

function notOfAgent(name: string, hint: string): Wording {
  return { message: `${name} does not belong in the folder of an agent.`, hint };
}

const wrongFolder = 'Run the command in the folder of a catalog, or name that folder with --cwd.';

/** Problems with the folder of an agent, and with the names and the bytes of its files. */
export const fileMessages = {
  /** `most` is the most characters that a name has. `proposal` may be empty. */
  wrongFolderName(name: string, most: number, proposal: string): Wording {
    const long = name.length > most ? ` (${name.length} characters)` : '';
    return {
      message: `"${name}"${long} can't be the name of an agent's folder: it has to be lowercase words joined by hyphens, at most ${most} characters.`,
      hint: `Rename the folder${proposal === '' ? '' : `, for example to ${proposal}`}.`,
    };
  },

  reservedFolderName: (name: string, reason: string) => ({
    message: `"${name}" is a reserved name: ${reason}.`,
    hint: `Give the folder another name, such as ${name}-agent.`,
  }),

  misnamedFile: (name: string, right: string) => ({
    message: `${name} has to be called ${right}.`,
    hint: `Rename ${name} to ${right}.`,
  }),

  folderOfFolders: (folders: readonly string[]) => ({
    message: `The folder contains no agent, only ${folders.length === 1 ? 'the folder' : 'the folders'} ${folders.join(', ')}.`,
    hint: 'Move each agent directly into agents/: folders of agents are not nested.',
  }),

  allFilesMissing: (names: readonly string[]) => ({
    message: `All required files are missing: ${names.join(', ')}.`,
    hint: 'Add them, or delete the folder.',
  }),

  fileMissing: (name: (typeof requiredFiles)[number]) => ({
    message: `${name} is missing.`,
    hint: `Add ${name}: ${filePurposes[name]}.`,
  }),

  backupCopy: (name: string, original: string) =>
    notOfAgent(name, `It looks like a backup copy of ${original}: delete it.`),

  systemFile: (name: string) =>
    notOfAgent(name, 'The operating system created it. Delete it, and add it to .gitignore.'),

  picture: (name: string) =>
    notOfAgent(name, 'Remove it: an agent has no pictures, only text that people read and paste.'),

  configInCapitals: (name: string) => notOfAgent(name, `Rename ${name} to ${name.toLowerCase()}.`),

  unknownFile: (name: string, required: readonly string[]) =>
    notOfAgent(
      name,
      `An agent has ${required.join(', ')}, and optionally config.<ext> and the folder evals/. Rename or remove this file.`,
    ),

  configExtension: (extension: string, allowed: readonly string[]) => ({
    message: `A config can't be a .${extension} file.`,
    hint: `Use a text format that no browser or shell runs: ${allowed.join(', ')}.`,
  }),

  severalConfigs: (names: readonly string[]) => ({
    message: `There are ${names.length} configs: ${names.join(', ')}.`,
    hint: 'Keep one of them.',
  }),

  symbolicLink: (name: string) => ({
    message: `${name} is a symbolic link.`,
    hint: 'Replace it with the file or folder that it points to.',
  }),

  fileAmongFolders: (name: string) => ({
    message: `${name} is a file, but agents/ may contain only folders of agents.`,
    hint: 'Move it out of agents/, or into the folder of its agent.',
  }),

  notAFile: (name: string, isFolder: boolean) => ({
    message: `${name} is ${isFolder ? 'a folder' : 'not a regular file'}.`,
    hint: isFolder
      ? 'Remove it: the only folder that an agent may have is evals/.'
      : 'Replace it with a regular file, or remove it.',
  }),

  fileTooLarge: (name: string, bytes: string, most: number) => ({
    message: `${name} has ${bytes} bytes; at most ${most} are allowed.`,
    hint: 'Shorten it: an agent is text that people read and paste.',
  }),

  unreadableFile: (name: string, reason: string) => ({
    message: `${name} cannot be read (${reason}).`,
    hint: 'Check its permissions, and check the disk for errors.',
  }),

  unreadableAgents: (folder: string, reason: string) => ({
    message: `The folder agents/ in ${folder} cannot be read (${reason}).`,
    hint: 'Make agents/ a folder that contains one folder for each agent.',
  }),

  /** `step` is the verb for what failed, such as "read". */
  unprocessableAgent: (step: string, error: string) => ({
    message: `The program could not ${step} this agent (${error}).`,
    hint: 'A file is too long or too deeply nested for the program. Simplify it, and report this as a bug.',
  }),

  notUtf8: (name: string, isUtf16: boolean) => ({
    message: isUtf16 ? `${name} is UTF-16 text; it has to be UTF-8.` : `${name} is not UTF-8 text.`,
    hint: 'Save the file as UTF-8.',
  }),

  byteOrderMark: (name: string) => ({
    message: `${name} starts with a byte-order mark (BOM), an invisible character.`,
    hint: 'Save the file as UTF-8 without a BOM.',
  }),

  carriageReturns: (name: string) => ({
    message: `${name} has CR line endings (Windows or old Mac).`,
    hint: 'Save the file with LF line endings; the `.gitattributes` line `* text=auto eol=lf` enforces them.',
  }),

  emptyFile(name: string): Wording {
    const isRequired = name in filePurposes;
    return {
      message: `${name} is empty.`,
      hint: isRequired
        ? `Write its text: ${filePurposes[name as keyof typeof filePurposes]}.`
        : 'Write its text, or remove the file.',
    };
  },

  /** `blankLines` says whether the prompt ends with blank lines instead of without a newline. */
  finalNewline: (blankLines: boolean) => ({
    message: blankLines ? 'prompt.txt ends with blank lines.' : 'prompt.txt does not end with a newline.',
    hint: 'End the file with exactly one newline.',
  }),
} satisfies Messages;

/** Problems with the file of the settings as a whole. */
export const settingsMessages = {
  missing: (file: string, folder: string) => ({ message: `There is no ${file} in "${folder}".`, hint: wrongFolder }),

  unreadable(file: string, folder: string, reason: string | undefined): Wording {
    const message = `${file} in ${folder} cannot be read (${reason}).`;
    if (reason === 'EISDIR') return { message, hint: `Put a file with the settings there instead of a folder.` };
    if (reason === 'ENOTDIR') return { message, hint: wrongFolder };
    if (reason === 'EFBIG')
      return { message: `${file} in ${folder} has more than 256 KiB.`, hint: 'Shorten its texts.' };
    const denied = reason === 'EACCES' || reason === 'EPERM';
    return {
      message: denied ? `You have no permission to read ${file} in ${folder} (${reason}).` : message,
      hint: denied
        ? 'Make it readable for your user, or run the command as a user who can read it.'
        : 'Check its permissions, and check the disk for errors.',
    };
  },

  empty: (file: string) => ({
    message: `${file} is empty.`,
    hint: 'Write the settings, or start from the file that `catalog init` creates.',
  }),

  /** `key` has its quotes. */
  keyTwice: (key: string) => ({ message: `${key} appears twice.`, hint: 'Keep one of the two.' }),
} satisfies Messages;

/** Problems with a catalog's own templates and fonts, and with the social image. */
export const templateMessages = {
  /** `proposal` is a template with a similar name, if there is one. */
  unknownTemplate: (name: string, proposal: string | undefined, allowed: readonly string[]) => ({
    message: `templates/${name} does not replace a template of the program, so it would never be used.`,
    hint:
      proposal === undefined
        ? `Rename it to one of these templates, or delete it: ${allowed.join(', ')}.`
        : `Did you mean ${proposal}?`,
  }),

  /** `obstacle` says what it is instead, such as "/catalog/templates is a file". */
  templatesNotAFolder: (obstacle: string) => ({
    message: `${obstacle}.`,
    hint: 'Make templates/ a folder of your own templates, or remove it.',
  }),

  unknownValue: (name: string) => ({
    message: `The template uses \`${name}\`, which does not exist here.`,
    hint: "Compare your template with the program's template of the same name.",
  }),

  /** `opening` is the whole tag that opens the block. */
  blockNotClosed: (opening: string) => ({
    message: `\`${opening}\` is opened but never closed.`,
    hint: `Close it with {{/${/[\w-]+/.exec(opening)}}}.`,
  }),

  notHandlebars: {
    message: 'This is not well-formed Handlebars, here or just before.',
    hint: 'Check that every {{ has a matching }}, and that blocks are closed in reverse order.',
  },

  /** `helper` is the helper that fails, if one does, and `reason` what JavaScript says. */
  notRendered: (helper: string | undefined, reason: string) => ({
    message: `${helper === undefined ? 'The template' : `The helper \`${helper}\``} fails here (${reason}).`,
    hint: 'Check the values that helpers and partials get, and that no partial includes itself.',
  }),

  /** Two files, by their paths below templates/. */
  sameAsset: (name: string, other: string) => ({
    message: `templates/${name} and ${other} differ only in capital letters, so they are one file on Windows and macOS.`,
    hint: 'Give the file another name. To replace the other file, give it exactly the same name.',
  }),

  /** `reason` is what the renderer says. */
  socialImageNotDrawn: (reason: string) => ({
    message: `The social image can't be drawn: ${reason.replace(/\.?\s*$/, '')}.`,
    hint: 'The template must render a well-formed SVG document of 1200 by 630 pixels.',
  }),

  notAFont: (name: string) => ({
    message: `templates/fonts/${name} is not a TrueType or OpenType font.`,
    hint: 'Convert web fonts (.woff2) to .ttf.',
  }),
} satisfies Messages;
