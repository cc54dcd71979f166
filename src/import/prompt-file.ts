import { isUtf8 } from 'node:buffer';
import { inputKey, isInputName, reservedName } from '../agent-text/prompt-text.ts';
import { servedText } from '../agent-text/served-text.ts';
import { splitFrontMatter } from '../catalog/parse/front-matter.ts';
import { maxFileBytes } from '../catalog/read.ts';
import { line } from '../schema/fields.ts';
import { type Found, fileFormats, type Unusable } from './formats.ts';

/** The keys of front matter that are imported. Others say how an assistant runs a prompt: an agent has no place for them. */
const importedKeys = ['name', 'title', 'description', 'license'];

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
  const written = servedText(bytes.toString('utf8'));
  // Cursor does not quote patterns, which YAML would take for aliases.
  const file = format === 'cursor' ? written.replace(/^globs:[ \t]*(\*.*)$/m, "globs: '$1'") : written;
  if (format === 'claude-agent' && !file.startsWith('---\n'))
    return unusable('It has no front matter, so it is not a subagent.');
  const split = file.startsWith('---\n') ? splitFrontMatter(file, path, '') : { data: {}, body: file, diagnostics: [] };
  if ('code' in split) return unusable(`${split.message} ${split.hint}`);
  const { text, inputs, left: variables } = withInputs(split.body, format === 'copilot');
  const data = split.data as Record<string, unknown>;
  const lineOf = (key: string) => (typeof data[key] === 'string' ? data[key].trim().replace(/\s+/g, ' ') : null);
  const segments = path.split('/');
  const own = fileFormats[format]?.nameIn === 'folder' ? segments.at(-2) : segments.at(-1)?.replace(/\..*$/, '');
  const about = lineOf('description');
  const dropped = Object.keys(data).filter((key) => !importedKeys.includes(key));
  const left = format === 'skill' || format === 'fabric' ? beside : [];
  return {
    where: path,
    name: lineOf('name') ?? own ?? '',
    title: lineOf('title'),
    text,
    inputs,
    about: about !== null && line(300).safeParse(about).success ? about : null,
    license: lineOf('license'),
    notes: [
      ...split.diagnostics.map(({ line, message }) => `Line ${line} of its front matter was not read: ${message}`),
      ...(dropped.length === 0 ? [] : [`Not imported: ${dropped.join(', ')}.`]),
      ...(variables.length === 0 ? [] : [`Left in its text for you to replace: ${variables.join(', ')}.`]),
      ...(left.length === 0
        ? []
        : [`Not imported: ${left.length === 1 ? 'the file' : 'the files'} ${left.join(', ')} next to it.`]),
    ],
  };
}

/** Replaces Copilot's `${input:name:placeholder}` with named inputs. `left` are its other variables, which stay. */
function withInputs(body: string, isCopilot: boolean): { text: string; inputs: string[]; left: string[] } {
  if (!isCopilot) return { text: body, inputs: [], left: [] };
  const declared = new Map<string, string>();
  const text = body.replace(/\$\{input:([\w.-]{1,40})(?::([^}\n]{0,300}))?\}/g, (whole, written: string, hint = '') => {
    const words = written
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .replace(/[^a-z0-9]+/gi, ' ')
      .trim()
      .toUpperCase();
    const name = inputKey(words) === reservedName ? 'TEXT' : words;
    if (!isInputName(name)) return whole;
    const line = `- ${name} (required): ${hint.trim() || `the ${name.toLowerCase()}`}`;
    if (hint.trim() !== '' || !declared.has(name)) declared.set(name, line);
    return name;
  });
  const left = [...new Set(text.match(/\$\{[^{}\n]{1,100}\}/g) ?? [])];
  return { text, inputs: [...declared.values()], left };
}
