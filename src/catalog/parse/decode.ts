import { isUtf8 } from 'node:buffer';
import type { Finding } from '../../diagnostics/diagnostic.ts';
import { byteOrderMark, carriageReturns, emptyFile, notUtf8 } from '../../diagnostics/messages/files.ts';
import { locationAt } from '../../diagnostics/source-location.ts';

/**
 * Decodes a file of an agent, with LF line endings. Returns null if it is not UTF-8 or is empty. Only the input of a case
 * can be empty. Reports problems with its encoding.
 */
export function decode(
  name: string,
  bytes: Buffer,
  report: (finding: Omit<Finding, 'slug' | 'file'>) => void,
): string | null {
  if (!isUtf8(bytes) || isUtf16(bytes)) {
    const text = bytes.toString('utf8');
    report({
      code: 'file/encoding',
      text,
      location: locationAt(text, isUtf16(bytes) ? 0 : firstInvalid(bytes)),
      ...notUtf8(name, isUtf16(bytes)),
    });
    return null;
  }
  const marked = bytes.toString('utf8');
  const text = marked.replace(/^\uFEFF/, '');
  if (text !== marked) {
    report({
      code: 'text/hidden-character',
      text,
      location: locationAt(text, 0),
      ...byteOrderMark(name),
    });
  }
  const carriageReturn = text.indexOf('\r');
  if (carriageReturn !== -1) {
    report({
      code: 'file/line-ends',
      text,
      location: locationAt(text, carriageReturn),
      ...carriageReturns(name),
    });
  }
  if (text.trim() === '' && !/^evals\/[^/]+\.txt$/.test(name)) {
    report({ code: 'file/empty', ...emptyFile(name) });
    return null;
  }
  return text.replace(/\r\n?/g, '\n');
}

/** Decodes a file that does not belong in an agent folder, to search it for secrets. Returns null if it is not text. */
export function textOf(bytes: Buffer): string | null {
  if (!isUtf8(bytes) || bytes.includes(0)) return null;
  return bytes.toString('utf8').replace(/\r\n?/g, '\n');
}

/** Whether bytes look like UTF-16: they start with its byte-order mark, or with alternating zero bytes. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second, third, fourth] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.length >= 4 && ((first === 0 && third === 0) || (second === 0 && fourth === 0));
}

/** Returns the position of the first byte that is not UTF-8, in UTF-16 units of the decoded text. */
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

/** Whether bytes are valid UTF-8, except that their last character may be incomplete. */
function startsValid(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
