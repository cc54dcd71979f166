import type { Finding } from '../../diagnostics/diagnostic.ts';
import { nestedTooDeeply, numberTooLarge } from '../../diagnostics/messages/json.ts';
import { type Location, locationAt } from '../../diagnostics/source-location.ts';

/** The deepest nesting allowed in a config. Every JSON parser accepts it, and no config needs more. */
const maxDepth = 50;

/**
 * Finds a part of well-formed JSON that some programs would refuse or read differently, or returns null: deep nesting,
 * and numbers that they would round or cannot represent (RFC 8259, sections 6 and 9).
 */
export function jsonFinding(
  text: string,
): (Pick<Finding, 'code' | 'message' | 'hint'> & { location: Location }) | null {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[{\]}]|-?\d[\d.eE+-]*/g)) {
    if ('[{'.includes(token)) depth += 1;
    else if (']}'.includes(token)) depth -= 1;
    else if (!token.startsWith('"') && !isExact(token)) {
      return { code: 'config/json', location: locationAt(text, index, token.length), ...numberTooLarge };
    }
    if (depth > maxDepth) {
      return { code: 'config/json', location: locationAt(text, index), ...nestedTooDeeply(maxDepth) };
    }
  }
  return null;
}

function isExact(number: string): boolean {
  const value = Number(number);
  return /^-?\d+$/.test(number) ? Number.isSafeInteger(value) : Number.isFinite(value);
}
