import { z } from 'zod';
import { handshakeVersions, modernVersion, protocolVersions } from '../schema/mcp.ts';
import { codes, RpcError } from './errors.ts';
import { isObject, type Message, type Params, type Request } from './messages.ts';

/** Which family of revisions a message belongs to. */
export type Era = 'modern' | 'handshake';

/** The headers of the transport that say again what the message says. */
export interface McpHeaders {
  version: string | undefined;
  method: string | undefined;
  name: string | undefined;
}

const prefix = 'io.modelcontextprotocol/';
const versionKey = `${prefix}protocolVersion`;

/** What a request of revision 2026-07-28 says of itself in `_meta`; what else is there is not looked at. */
const envelope = z.object({
  [versionKey]: z.string(),
  [`${prefix}clientCapabilities`]: z.record(z.string(), z.unknown()),
  [`${prefix}clientInfo`]: z.object({ name: z.string(), version: z.string() }).optional(),
  [`${prefix}logLevel`]: z.string().optional(),
});

/**
 * The era of a message. It claims the modern one by naming its version in `_meta`, well or badly, or in the header.
 *
 * `headers` is null where the transport has none (stdio).
 */
export function eraOf(message: Exclude<Message, { kind: 'response' }>, headers: McpHeaders | null): Era {
  const { method, params } = message;
  const meta = metaOf(params);
  const claims = versionKey in meta;
  if (method === 'initialize' && !(claims && envelope.safeParse(meta).success)) {
    if (headers?.version !== modernVersion) return 'handshake';
    throw new RpcError(
      codes.headerMismatch,
      `\`initialize\` belongs to the handshake revisions; MCP-Protocol-Version names ${modernVersion}.`,
    );
  }
  return claims || headers?.version === modernVersion ? 'modern' : 'handshake';
}

/**
 * Checks what a request of the modern era says of itself, in `_meta` and in the headers.
 *
 * Throws RpcError: -32020 where the two differ, -32602 for what is missing, -32022 for a version that is not served.
 */
export function checkEnvelope({ method, params }: Request, headers: McpHeaders | null): void {
  const meta = metaOf(params);
  const version = meta[versionKey];
  if (headers !== null && version !== undefined && headers.version !== version) {
    throw mismatch('MCP-Protocol-Version', headers.version, `\`_meta\` of the request names another version`);
  }
  const faults = envelope.safeParse(meta).error?.issues ?? [];
  if (faults.length > 0) {
    const keys = [...new Set(faults.map(({ path }) => String(path[0])))];
    throw new RpcError(
      codes.invalidParams,
      `A request of revision ${modernVersion} needs these keys in \`params._meta\`, well-formed: ${keys.join(', ')}.`,
      { keys },
    );
  }
  if (version !== modernVersion) {
    const requested = String(version).slice(0, 100);
    throw new RpcError(codes.unsupportedVersion, `Protocol version ${requested} is not served this way.`, {
      supported: protocolVersions,
      requested,
    });
  }
  if (headers === null) return;
  if (headers.method !== method) {
    throw mismatch('Mcp-Method', headers.method, `the method of the request is ${method.slice(0, 100)}`);
  }
  const named = namedBy(method, params);
  if (named !== undefined && decodeHeader(headers.name) !== named) {
    throw mismatch('Mcp-Name', headers.name, 'the request names something else');
  }
}

/** Throws RpcError -32600 for a handshake-era request whose version header names no revision of that era. */
export function checkVersionHeader(headers: McpHeaders | null): void {
  const version = headers?.version;
  if (version === undefined || (handshakeVersions as readonly string[]).includes(version)) return;
  throw new RpcError(
    codes.invalidRequest,
    `MCP-Protocol-Version is ${version.slice(0, 100)}; served are ${protocolVersions.join(', ')}.`,
  );
}

function metaOf({ _meta }: Params): Params {
  return isObject(_meta) ? _meta : {};
}

/** What Mcp-Name has to repeat; undefined where the method needs none, or its params are faulty anyway. */
function namedBy(method: string, params: Params): string | undefined {
  const key = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }[method];
  const value = key === undefined ? undefined : params[key];
  return typeof value === 'string' ? value : undefined;
}

/** A header's value, decoded where it stands as `=?base64?…?=`; undefined where that is not text in UTF-8. */
function decodeHeader(value: string | undefined): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1];
  if (encoded === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

function mismatch(header: string, value: string | undefined, why: string): RpcError {
  const found = value === undefined ? 'is missing' : `is ${JSON.stringify(value.slice(0, 100))}`;
  return new RpcError(codes.headerMismatch, `The header ${header} ${found}; ${why}.`);
}
