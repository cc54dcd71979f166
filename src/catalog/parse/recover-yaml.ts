import { parseYaml } from './yaml.ts';
import { conflictMarker, duplicateKey, explainYaml, indentedKey, noKey, type YamlFault } from './yaml-errors.ts';

/** What could be read of YAML that is not well-formed as a whole. */
export interface RecoveredYaml {
  /** The values of the top-level keys that could be read. */
  data: Record<string, unknown>;
  /** The keys that could not be read: they are there, so nothing else is to be said of them. */
  unread: Set<string>;
  faults: YamlFault[];
}

const maxFaults = 20;

/** Reads front matter that `parseYaml` refused key by key, so that one mistake hides no other. */
export function recoverYaml(source: string): RecoveredYaml {
  const result: RecoveredYaml = { data: {}, unread: new Set(), faults: [] };
  for (const { text, start } of topLevelBlocks(source)) {
    // Enough for a person to see what is wrong.
    if (result.faults.length === maxFaults) break;
    const fault = readBlock(text, result);
    if (fault === null) continue;
    result.faults.push({ ...fault, offset: start + fault.offset });
    for (const [, name = ''] of text.matchAll(/^\s*["']?([\w-]+)/gm)) result.unread.add(name);
  }
  if (result.faults.length === 0) result.faults.push(explainYaml(source));
  return result;
}

/** The parts of front matter that start with a line in the first column: a key with its value. */
function topLevelBlocks(source: string): { text: string; start: number }[] {
  const blocks: { text: string; start: number }[] = [];
  let offset = 0;
  for (const line of source.split('\n')) {
    const last = blocks.at(-1);
    if (last === undefined || /^(?:[^\s#-]|-[^\s-])/.test(line)) blocks.push({ text: line, start: offset });
    else last.text += `\n${line}`;
    offset += line.length + 1;
  }
  return blocks;
}

/** Adds what a block says to the data, or gives what is wrong with it. */
function readBlock(text: string, { data, unread }: RecoveredYaml): YamlFault | null {
  const marker = conflictMarker(text);
  if (marker !== null) return marker;
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch {
    return explainYaml(text);
  }
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return noKey(text);
  if (/^\s/.test(text)) return indentedKey(text, 0);
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(data, key) || unread.has(key)) return duplicateKey(text, 0);
    data[key] = item;
  }
  return null;
}
