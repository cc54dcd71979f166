/** The result of sending a form. */
export type Outcome =
  | { sent: true }
  /** `status` is null if no response arrived. `retryAfter` is in seconds. */
  | { sent: false; status: number | null; message: string; retryAfter: number | null };

/** How long a response may take, in milliseconds. */
const patienceMs = 20_000;

/** Sends fields as JSON to a route of the server. Never rejects. */
export async function send(address: string, fields: Record<string, FormDataEntryValue>): Promise<Outcome> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
      signal: AbortSignal.timeout(patienceMs),
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok && answer.ok === true) return { sent: true };
    const message = typeof answer.message === 'string' ? answer.message : '';
    return {
      sent: false,
      status: response.status,
      message,
      retryAfter: secondsFrom(response.headers.get('retry-after')),
    };
  } catch {
    return { sent: false, status: null, message: '', retryAfter: null };
  }
}

/** How many seconds Retry-After asks to wait (RFC 9110, section 10.2.3), or null. */
function secondsFrom(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(1, seconds) : null;
}
