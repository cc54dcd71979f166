/** The error codes of JSON-RPC 2.0 and of the Model Context Protocol, revision 2026-07-28. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  /** For requests that HTTP refuses. The protocol has no code for them. */
  refused: -32000,
} as const;

/** A request that is refused because of the client. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  /** `message` is a sentence for people; `data` has details for programs, if there are any. */
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
