/**
 * Why a subscription was not stored: the provider took too long, could not be reached, answered with a redirect, refused
 * it, or sent a success that cannot be read (`answer`); the file could not be written (`storage`); the server is
 * stopping (`closed`); or this program has a bug (`bug`).
 */
export type FailureReason = 'timeout' | 'network' | 'redirect' | 'refused' | 'answer' | 'storage' | 'closed' | 'bug';

export interface FailureFacts {
  provider: string;
  reason: FailureReason;
  /** Which of the provider's calls failed, if it has several. */
  step?: string;
  /** The HTTP status, if there was an answer. */
  status?: number;
  /** The error code of the provider or the system (ECONNREFUSED, ENOSPC), checked by safeCode. */
  code?: string | undefined;
  /** A copy made by safeCause. */
  cause?: Error | undefined;
  /** Whether the reason was logged already. @default false */
  isLogged?: boolean;
}

/** A subscription was not stored. It contains no key, address or note, so it can be logged as it is. */
export class SubscriptionFailed extends Error {
  override readonly name = 'SubscriptionFailed';
  /** What happened, without the consequence. */
  readonly what: string;
  readonly provider: string;
  readonly reason: FailureReason;
  readonly step: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly isLogged: boolean;

  constructor({ provider, reason, step, status, code, cause, isLogged = false }: FailureFacts) {
    const at = step === undefined ? '' : ` (${step})`;
    const what = `${provider}${at} ${describe(reason, status, code)}`;
    super(`Subscription not stored: ${what}.`, cause && { cause });
    this.what = what;
    this.provider = provider;
    this.reason = reason;
    this.step = step ?? null;
    this.status = status ?? null;
    this.code = code ?? null;
    this.isLogged = isLogged;
  }
}

function describe(reason: FailureReason, status: number | undefined, code: string | undefined): string {
  const detail = code === undefined ? '' : ` (${code})`;
  switch (reason) {
    case 'timeout':
      return 'took too long';
    case 'network':
      return `could not be reached${detail}`;
    case 'redirect':
      return `answered with a redirect (${status}), which is not followed`;
    case 'refused':
      return `refused it with status ${status}${detail}`;
    case 'answer':
      return `answered with status ${status}, but not in the expected form`;
    case 'storage':
      return `could not write it${detail}`;
    case 'closed':
      return 'is closed';
    case 'bug':
      return 'failed because of a bug in this program';
  }
}
