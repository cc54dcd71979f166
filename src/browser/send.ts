/** The result of sending a form. */
export type Outcome = { sent: true } | Failure;

/** Why a form was not sent. */
export interface Failure {
  sent: false;
  /** Null if no response arrived. */
  status: number | null;
  /** What the server says is wrong; null if something else answered, such as a proxy. */
  message: string | null;
  /** In seconds. */
  retryAfter: number | null;
}

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
    const answer = await response.json().catch(() => null);
    if (response.ok && answer?.ok === true) return { sent: true };
    return {
      sent: false,
      status: response.status,
      message: response.ok || typeof answer?.error !== 'string' ? null : String(answer.message ?? ''),
      retryAfter: secondsFrom(response.headers.get('retry-after')),
    };
  } catch {
    return { sent: false, status: null, message: null, retryAfter: null };
  }
}

/** How many seconds Retry-After asks to wait (RFC 9110, section 10.2.3), or null. */
function secondsFrom(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(1, seconds) : null;
}
