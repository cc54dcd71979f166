/**
 * Why a sign-up was not stored: the provider took too long, could not be reached, answered with a redirect, refused
 * (status and code say how), answered well but unreadably; the file could not be written; the server is stopping; or
 * a fault of this program.
 */
export type FailureReason = 'timeout' | 'network' | 'redirect' | 'refused' | 'answer' | 'storage' | 'closed' | 'fault';

export interface FailureFacts {
  provider: string;
  reason: FailureReason;
  /** Which of the provider's calls failed, where there are several. */
  step?: string;
  /** The HTTP status, where there was one. */
  status?: number;
  /** The provider's own error code, or the system's (ECONNREFUSED, ENOSPC); made safe by safeCode. */
  code?: string | undefined;
  /** Made safe by safeCause. */
  cause?: Error | undefined;
}

/** A sign-up was not stored. Holds neither key nor address nor note, so that it can be logged as it is. */
export class SignupFailed extends Error {
  override readonly name = 'SignupFailed';
  readonly provider: string;
  readonly reason: FailureReason;
  readonly step: string | null;
  readonly status: number | null;
  readonly code: string | null;

  constructor({ provider, reason, step, status, code, cause }: FailureFacts) {
    const at = step === undefined ? '' : ` (${step})`;
    super(`Sign-up not stored: ${provider}${at} ${describe(reason, status, code)}.`, cause && { cause });
    this.provider = provider;
    this.reason = reason;
    this.step = step ?? null;
    this.status = status ?? null;
    this.code = code ?? null;
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
    case 'fault':
      return 'met a fault of this program';
  }
}
