/** A prompt in another format. */
export interface ForeignPrompt {
  /** Where it is, such as `row 3 (line 9)` or the path of a file. */
  where: string;
  /** Its name, from which the slug is made. */
  name: string;
  /** Its title; null if it only has a name. */
  title: string | null;
  text: string;
  /** Lines of INPUT that declare the inputs which the text names. */
  inputs?: string[];
  /** Its subject, in a line; null if it does not say so. */
  about: string | null;
  /** Its own license, or null. */
  license: string | null;
  /** The parts that are not imported, as sentences. */
  notes: string[];
}

/** Something that cannot be imported because of an error. */
export interface Unusable {
  where: string;
  problem: string;
}

/** Something that is left out by design, because it is not a prompt for text. */
export interface Skipped {
  where: string;
  reason: string;
}

/** The formats that keep a prompt in a file: which files have one, and where its name is. */
export const fileFormats: Record<string, { files: RegExp; nameIn: 'folder' | 'file' }> = {
  skill: { files: /^SKILL\.md$/, nameIn: 'folder' },
  fabric: { files: /^system\.md$/, nameIn: 'folder' },
  copilot: { files: /\.(?:prompt|agent|chatmode)\.md$/, nameIn: 'file' },
  cursor: { files: /\.mdc$/, nameIn: 'file' },
  'claude-agent': { files: /^(?!README)[^.]+\.md$/i, nameIn: 'file' },
  text: {
    files: /^(?!(?:README|LICENSE|CHANGELOG|CONTRIBUTING|SECURITY|CODE_OF_CONDUCT)\b)[^.].*\.(?:md|txt)$/i,
    nameIn: 'file',
  },
};

export const formats = ['prompts-chat', ...Object.keys(fileFormats)];

/** The format of a file with this name, or null. Subagents are read like any Markdown, and only --from demands their form. */
export function formatOf(name: string): string | null {
  const isOfName = (format: string) => format !== 'claude-agent' && fileFormats[format]?.files.test(name) === true;
  return /\.csv$/i.test(name) ? 'prompts-chat' : (Object.keys(fileFormats).find(isOfName) ?? null);
}
