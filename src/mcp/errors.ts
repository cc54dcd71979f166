/** The error codes of JSON-RPC 2.0 and of the Model Context Protocol, revision 2026-07-28. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  /** For what HTTP itself refuses; the protocol has no code for it. */
  refused: -32000,
} as const;

/** A request that cannot be answered as it stands: the caller's fault. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  /** `message` is a sentence for the caller; `data`, where there is any, says more to a program. */
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
