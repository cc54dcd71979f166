import type { requiredFiles } from '../agent.ts';
import type { Wording } from '../diagnostics/diagnostic.ts';

/** Problems with the folder of an agent, and with the names and the bytes of its files. */

/** `most` is the most characters that a name has. `proposal` may be empty. */
export function wrongFolderName(name: string, most: number, proposal: string): Wording {
  const long = name.length > most ? ` (${name.length} characters)` : '';
  return {
    message: `"${name}"${long} can't be the name of an agent's folder: it has to be lowercase words joined by hyphens, at most ${most} characters.`,
    hint: `Rename the folder${proposal === '' ? '' : `, for example to ${proposal}`}.`,
  };
}

export function reservedFolderName(name: string, reason: string): Wording {
  return {
    message: `"${name}" is a reserved name: ${reason}.`,
    hint: `Give the folder another name, such as ${name}-agent.`,
  };
}

export function misnamedFile(name: string, right: string): Wording {
  return { message: `${name} has to be called ${right}.`, hint: `Rename ${name} to ${right}.` };
}

export function folderOfFolders(folders: readonly string[]): Wording {
  return {
    message: `The folder contains no agent, only ${folders.length === 1 ? 'the folder' : 'the folders'} ${folders.join(', ')}.`,
    hint: 'Move each agent directly into agents/: folders of agents are not nested.',
  };
}

export function allFilesMissing(names: readonly string[]): Wording {
  return {
    message: `All required files are missing: ${names.join(', ')}.`,
    hint: 'Add them, or delete the folder.',
  };
}

export function fileMissing(name: (typeof requiredFiles)[number]): Wording {
  return { message: `${name} is missing.`, hint: `Add ${name}: ${filePurposes[name]}.` };
}

const filePurposes: Record<(typeof requiredFiles)[number], string> = {
  'agent.md': 'the front matter and how the agent works',
  'prompt.txt': 'the prompt, with its sections INPUT, RULES and OUTPUT',
  'sample-input.txt': 'an input that a reader can try the prompt with',
  'sample-output.txt': 'a good answer to the sample input',
};

export function backupCopy(name: string, original: string): Wording {
  return notOfAgent(name, `It looks like a backup copy of ${original}: delete it.`);
}

export function systemFile(name: string): Wording {
  return notOfAgent(name, 'The operating system created it. Delete it, and add it to .gitignore.');
}

export function picture(name: string): Wording {
  return notOfAgent(name, 'Remove it: an agent has no pictures, only text that people read and paste.');
}

export function configInCapitals(name: string): Wording {
  return notOfAgent(name, `Rename ${name} to ${name.toLowerCase()}.`);
}

export function unknownFile(name: string, required: readonly string[]): Wording {
  return notOfAgent(
    name,
    `An agent has ${required.join(', ')}, and optionally config.<ext> and the folder evals/. Rename or remove this file.`,
  );
}

function notOfAgent(name: string, hint: string): Wording {
  return { message: `${name} does not belong in the folder of an agent.`, hint };
}

export function configExtension(extension: string, allowed: readonly string[]): Wording {
  return {
    message: `A config can't be a .${extension} file.`,
    hint: `Use a text format that no browser or shell runs: ${allowed.join(', ')}.`,
  };
}

export function severalConfigs(names: readonly string[]): Wording {
  return { message: `There are ${names.length} configs: ${names.join(', ')}.`, hint: 'Keep one of them.' };
}

export function symbolicLink(name: string): Wording {
  return { message: `${name} is a symbolic link.`, hint: 'Replace it with the file or folder that it points to.' };
}

export function fileAmongFolders(name: string): Wording {
  return {
    message: `${name} is a file, but agents/ may contain only folders of agents.`,
    hint: 'Move it out of agents/, or into the folder of its agent.',
  };
}

export function notAFile(name: string, isFolder: boolean): Wording {
  return {
    message: `${name} is ${isFolder ? 'a folder' : 'not a regular file'}.`,
    hint: isFolder
      ? 'Remove it: the only folder that an agent may have is evals/.'
      : 'Replace it with a regular file, or remove it.',
  };
}

export function fileTooLarge(name: string, bytes: string, most: number): Wording {
  return {
    message: `${name} has ${bytes} bytes; at most ${most} are allowed.`,
    hint: 'Shorten it: an agent is text that people read and paste.',
  };
}

export function unreadableFile(name: string, reason: string): Wording {
  return {
    message: `${name} cannot be read (${reason}).`,
    hint: 'Check its permissions, and check the disk for errors.',
  };
}

export function unreadableAgents(folder: string, reason: string): Wording {
  return {
    message: `The folder agents/ in ${folder} cannot be read (${reason}).`,
    hint: 'Make agents/ a folder that contains one folder for each agent.',
  };
}

/** `step` is the verb for what failed, such as "read". */
export function unprocessableAgent(step: string, error: string): Wording {
  return {
    message: `The program could not ${step} this agent (${error}).`,
    hint: 'A file is too long or too deeply nested for the program. Simplify it, and report this as a bug.',
  };
}

export function notUtf8(name: string, isUtf16: boolean): Wording {
  return {
    message: isUtf16 ? `${name} is UTF-16 text; it has to be UTF-8.` : `${name} is not UTF-8 text.`,
    hint: 'Save the file as UTF-8.',
  };
}

export function byteOrderMark(name: string): Wording {
  return {
    message: `${name} starts with a byte-order mark (BOM), an invisible character.`,
    hint: 'Save the file as UTF-8 without a BOM.',
  };
}

export function carriageReturns(name: string): Wording {
  return {
    message: `${name} has CR line endings (Windows or old Mac).`,
    hint: 'Save the file with LF line endings; the `.gitattributes` line `* text=auto eol=lf` enforces them.',
  };
}

export function emptyFile(name: string): Wording {
  const isRequired = name in filePurposes;
  return {
    message: `${name} is empty.`,
    hint: isRequired
      ? `Write its text: ${filePurposes[name as keyof typeof filePurposes]}.`
      : 'Write its text, or remove the file.',
  };
}

/** `blankLines` says whether the prompt ends with blank lines instead of without a newline. */
export function finalNewline(blankLines: boolean): Wording {
  return {
    message: blankLines ? 'prompt.txt ends with blank lines.' : 'prompt.txt does not end with a newline.',
    hint: 'End the file with exactly one newline.',
  };
}
