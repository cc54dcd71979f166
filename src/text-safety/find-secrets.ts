import { secretForms } from './secret-patterns.ts';

/** Part of a text that looks like a key or a token. */
export interface Secret {
  /** In UTF-16 units. */
  offset: number;
  /** To the end of the secret or, for a private key, of its last line. */
  length: number;
  /** The kind of secret, with an article. */
  name: string;
}

/** A form starts at the start of a word, or with a character that ends one. */
const boundary = '(?:(?<![A-Za-z0-9])|(?=[?&:.-]))';
const anyForm = new RegExp(`${boundary}(?:${secretForms.map(([, form]) => form).join('|')})`, 'g');
const singleForms = secretForms.map(([name, form]) => [name, new RegExp(`${boundary}(?:${form})`, 'y')] as const);

/** Every secret except for two forms has a word of at least this many characters. Most texts have none. */
const shortestWord = 15;

/**
 * Whether a text may contain a secret. In most texts, this reads one character in fifteen, and saves the slower search.
 */
function mayHoldSecret(text: string): boolean {
  for (let end = shortestWord - 1; end < text.length; ) {
    let at = end;
    while (at > end - shortestWord && text.charCodeAt(at) > 0x20) at -= 1;
    if (at === end - shortestWord) return true;
    end = at + shortestWord;
  }
  return text.includes('-----BEGIN') || /:\/\/[^\s/@]{1,385}@/.test(text);
}

/** Finds the secrets in a text, in order, without placeholders and the keys of documentation. Takes linear time. */
export function findSecrets(text: string): Secret[] {
  if (!mayHoldSecret(text)) return [];
  const secrets: Secret[] = [];
  anyForm.lastIndex = 0;
  for (let match = anyForm.exec(text); match !== null; match = anyForm.exec(text)) {
    const offset = match.index;
    const end = endOf(text, offset + match[0].length, match[0]);
    anyForm.lastIndex = end;
    if (!isPlaceholder(text.slice(offset, end)))
      secrets.push({ offset, length: end - offset, name: nameAt(text, offset) });
  }
  return secrets;
}

/** Masks all but the first four characters of each secret. The length and the lines of the text stay the same. */
export function maskSecrets(text: string): string {
  let shown = '';
  let done = 0;
  for (const { offset, length } of findSecrets(text)) {
    const hidden = text.slice(offset + 4, offset + length).replace(/[^\n]/g, '*');
    shown += text.slice(done, offset + 4) + hidden;
    done = offset + length;
  }
  return shown + text.slice(done);
}

/** Finds the end of a secret. `start` is the part that a form matched, which ends at `from`. */
function endOf(text: string, from: number, start: string): number {
  const closing = start.startsWith('-----BEGIN')
    ? /-----END [A-Z0-9 ]{1,60}-----/
    : start.startsWith('PuTTY')
      ? /Private-MAC: \w+/
      : null;
  const close = closing?.exec(text.slice(from, from + longestKeyFile));
  if (close) return from + close.index + close[0].length;
  const rest = closing === null ? /[\w~+/%=.-]*/y : /(?:\s{0,40}[\w+/=\\]{16,4096}){0,500}/y;
  rest.lastIndex = from;
  return from + (rest.exec(text)?.[0].replace(/\.$/, '').length ?? 0);
}

/** How far the end of a key file is searched for, in UTF-16 units. */
const longestKeyFile = 32_768;

/** Whether this is an example from documentation. */
function isPlaceholder(secret: string): boolean {
  return /EXAMPLE|[Yy][Oo][Uu][Rr][_-]|placeholder|redacted|1234567890|abcdefghij|[Xx]{6}|0{10}/.test(
    secret.slice(0, 400),
  );
}

function nameAt(text: string, offset: number): string {
  for (const [name, form] of singleForms) {
    form.lastIndex = offset;
    if (form.test(text)) return name;
  }
  return 'a secret';
}
