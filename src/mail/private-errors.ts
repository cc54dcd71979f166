/** The form of error codes, which no address and no sentence has. Other texts of a provider may repeat what was sent. */
const codeForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns `value` if it is a code and contains none of `secrets`, else undefined. */
export function safeCode(value: unknown, secrets: readonly string[]): string | undefined {
  return typeof value === 'string' && codeForm.test(value) && !holdsAny(value, secrets) ? value : undefined;
}

/**
 * Copies an error and its causes with only name, code and message, and without a message that contains one of `secrets`.
 * Other fields are dropped, since a parser's error, for example, carries the provider's answer.
 */
export function safeCause(error: unknown, secrets: readonly string[], depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined;
  const cause = safeCause(error.cause, secrets, depth + 1);
  const message = holdsAny(error.message, secrets) ? '(removed: it contained private data)' : error.message;
  const copy = new Error(message, cause && { cause });
  const code = safeCode((error as NodeJS.ErrnoException).code, secrets);
  const name = safeCode(error.name, secrets) ?? 'Error';
  Object.defineProperty(copy, 'name', { value: name, configurable: true });
  Object.defineProperty(copy, 'stack', { value: `${name}: ${message}`, configurable: true });
  return code === undefined ? copy : Object.assign(copy, { code });
}

/** The first code in an error and its causes that may be logged. */
export function causeCode(error: unknown, secrets: readonly string[]): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth <= 4; at = at.cause, depth += 1) {
    const code = safeCode((at as NodeJS.ErrnoException).code, secrets);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** The texts that must not appear in an error, in each encoding in which they are sent. */
export function secretsOf(...texts: readonly (string | undefined)[]): string[] {
  return texts
    .filter((text): text is string => text !== undefined && text.trim() !== '')
    .flatMap((text) => [text, encodeURIComponent(Buffer.from(text).toString()), JSON.stringify(text).slice(1, -1)]);
}

function holdsAny(text: string, secrets: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return secrets.some((secret) => lower.includes(secret.toLowerCase()));
}
