/**
 * Makes what comes from outside fit for a log: texts of errors and codes of providers may repeat what was sent.
 */

/** A code as providers and the system use them: no address and no sentence has this form. */
const codeForm = /^[A-Za-z0-9_-]{1,64}$/;

/** `value` where it is a code and holds none of `secrets`, else undefined. */
export function safeCode(value: unknown, secrets: readonly string[]): string | undefined {
  return typeof value === 'string' && codeForm.test(value) && !holdsAny(value, secrets) ? value : undefined;
}

/**
 * A copy of an error and its causes with nothing but name, code and message, the message left out where it holds one
 * of `secrets`. Other fields are dropped: a parser's error, for one, carries what the provider answered.
 */
export function safeCause(error: unknown, secrets: readonly string[], depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined;
  const cause = safeCause(error.cause, secrets, depth + 1);
  const message = holdsAny(error.message, secrets) ? '(left out: it held private data)' : error.message;
  const copy = new Error(message, cause && { cause });
  const code = safeCode((error as NodeJS.ErrnoException).code, secrets);
  const name = safeCode(error.name, secrets) ?? 'Error';
  Object.defineProperty(copy, 'name', { value: name, configurable: true });
  Object.defineProperty(copy, 'stack', { value: `${name}: ${message}`, configurable: true });
  return code === undefined ? copy : Object.assign(copy, { code });
}

/** The first code in an error and its causes that is fit for a log. */
export function causeCode(error: unknown, secrets: readonly string[]): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth <= 4; at = at.cause, depth += 1) {
    const code = safeCode((at as NodeJS.ErrnoException).code, secrets);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** The texts of a sign-up and the provider's settings that must not get into an error, in the forms they travel in. */
export function secretsOf(...texts: readonly (string | undefined)[]): string[] {
  return texts
    .filter((text): text is string => text !== undefined && text.trim() !== '')
    .flatMap((text) => [text, encodeURIComponent(Buffer.from(text).toString()), JSON.stringify(text).slice(1, -1)]);
}

function holdsAny(text: string, secrets: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return secrets.some((secret) => lower.includes(secret.toLowerCase()));
}
