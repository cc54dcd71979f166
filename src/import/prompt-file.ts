import { isUtf8 } from 'node:buffer';
import { servedText } from '../agent-text/served-text.ts';
import { splitFrontMatter } from '../catalog/parse/front-matter.ts';
import { maxFileBytes } from '../catalog/read.ts';
import { line } from '../schema/fields.ts';
import { type Found, fileFormats, type Unusable } from './formats.ts';

/** Keys of front matter that say how an assistant runs a prompt. An agent has no place for them. */
const settingKeys = ['tools', 'allowed-tools', 'model', 'agent', 'mode', 'mcp-servers', 'hooks'];

/** Reads the prompt in a file. `path` names it, with slashes. `beside` are the names of the other files in its folder. */
export function readPromptFile(
  format: string,
  path: string,
  bytes: Buffer,
  beside: readonly string[],
): Found | Unusable {
  const unusable = (problem: string) => ({ where: path, problem });
  if (bytes.length > maxFileBytes)
    return unusable(`It has ${bytes.length} bytes; at most ${maxFileBytes} are allowed.`);
  if (!isUtf8(bytes) || bytes.includes(0)) return unusable('It is not UTF-8 text.');
  const text = servedText(bytes.toString('utf8'));
  if (format === 'claude-agent' && !text.startsWith('---\n'))
    return unusable('It has no front matter, so it is not a subagent.');
  const split = text.startsWith('---\n') ? splitFrontMatter(text, path, '') : { data: {}, body: text, diagnostics: [] };
  if ('code' in split) return unusable(`${split.message} ${split.hint}`);
  const data = split.data as Record<string, unknown>;
  const written = (key: string) => (typeof data[key] === 'string' ? data[key].trim().replace(/\s+/g, ' ') : null);
  const segments = path.split('/');
  const own = fileFormats[format]?.nameIn === 'folder' ? segments.at(-2) : segments.at(-1)?.replace(/\..*$/, '');
  const about = written('description');
  const dropped = settingKeys.filter((key) => Object.hasOwn(data, key));
  const left = format === 'skill' || format === 'fabric' ? beside : [];
  return {
    where: path,
    name: written('name') ?? own ?? '',
    title: null,
    text: split.body,
    about: about !== null && line(300).safeParse(about).success ? about : null,
    license: written('license'),
    notes: [
      ...split.diagnostics.map(({ line, message }) => `Line ${line} of its front matter was not read: ${message}`),
      ...(dropped.length === 0 ? [] : [`Not imported: ${dropped.join(', ')}.`]),
      ...(left.length === 0
        ? []
        : [`Not imported: ${left.length === 1 ? 'the file' : 'the files'} ${left.join(', ')} next to it.`]),
    ],
  };
}
