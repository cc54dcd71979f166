import { secretForms } from './secret-forms.ts';

/** Part of a text that looks like a key or a token. */
export interface Secret {
  /** In UTF-16 units. */
  offset: number;
  /** Up to the end of the secret, or of its last line for a private key. */
  length: number;
  /** What kind of secret it is, with an article. */
  name: string;
}

/** A form starts where a word does, or with a character that ends one. */
const boundary = '(?:(?<![A-Za-z0-9])|(?=[?&:.-]))';
const anyForm = new RegExp(`${boundary}(?:${secretForms.map(([, form]) => form).join('|')})`, 'g');
const singleForms = secretForms.map(([name, form]) => [name, new RegExp(`${boundary}(?:${form})`, 'y')] as const);

/** Every secret has a word of so many characters, but for two forms; most texts have none. */
const shortestWord = 15;

/** Whether a text may hold a secret. Looks at one character in fifteen of most texts, which the search takes longer for. */
function mayHoldSecret(text: string): boolean {
  for (let end = shortestWord - 1; end < text.length; ) {
    let at = end;
    while (at > end - shortestWord && text.charCodeAt(at) > 0x20) at -= 1;
    if (at === end - shortestWord) return true;
    end = at + shortestWord;
  }
  return text.includes('-----BEGIN') || /:\/\/[^\s/@]{1,385}@/.test(text);
}

/**
 * The secrets in a text, in order, without placeholders and the keys of documentation. Takes linear time.
 */
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

/** The text with each secret unreadable except for its first four characters; its length and its lines stay the same. */
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

/** Where a secret ends of which a form recognized `start`, which ends at `from`. */
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

/** In UTF-16 units; a search for the end of a key file stops here. */
const longestKeyFile = 32_768;

/** What documentation writes where a key belongs. */
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
