import { topLevelBlocks } from '../../diagnostics/yaml-location.ts';
import { parseYaml } from './yaml.ts';
import { conflictMarker, duplicateKey, explainYaml, indentedKey, noKey, type YamlFault } from './yaml-errors.ts';

/** The readable part of malformed YAML. */
export interface RecoveredYaml {
  /** The values of the top-level keys that could be read. */
  data: Record<string, unknown>;
  /** The keys that exist but could not be read, so they must not be reported as missing. */
  unread: Set<string>;
  faults: YamlFault[];
}

const maxFaults = 20;

/** Parses front matter that `parseYaml` rejected, one key at a time, so that one mistake does not hide another. */
export function recoverYaml(source: string): RecoveredYaml {
  const result: RecoveredYaml = { data: {}, unread: new Set(), faults: [] };
  for (const { text, start } of topLevelBlocks(source)) {
    // More errors would not help.
    if (result.faults.length === maxFaults) break;
    const fault = readBlock(text, result);
    if (fault === null) continue;
    result.faults.push({ ...fault, offset: start + fault.offset });
    for (const [, name = ''] of text.matchAll(/^\s*["']?([\w-]+)/gm)) result.unread.add(name);
  }
  if (result.faults.length === 0) result.faults.push(explainYaml(source));
  return result;
}

/** Adds the values of a block to the data, or returns its error. */
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
