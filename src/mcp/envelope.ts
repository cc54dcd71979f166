import * as z from 'zod';
import { handshakeVersions, modernVersion, protocolVersions } from '../schema/mcp.ts';
import { codes, RpcError } from './errors.ts';
import { isObject, type Message, type Params, type Request } from './messages.ts';

/** The family of revisions of a message. */
export type Era = 'modern' | 'handshake';

/** The headers of the transport that repeat parts of the message. */
export interface McpHeaders {
  version: string | undefined;
  method: string | undefined;
  name: string | undefined;
}

const prefix = 'io.modelcontextprotocol/';
const versionKey = `${prefix}protocolVersion`;

/** The `_meta` of a request in revision 2026-07-28. Other keys are ignored. */
const envelope = z.object({
  [versionKey]: z.string(),
  [`${prefix}clientCapabilities`]: z.record(z.string(), z.unknown()),
  [`${prefix}clientInfo`]: z.object({ name: z.string(), version: z.string() }).optional(),
  [`${prefix}logLevel`]: z.string().optional(),
});

/**
 * The era of a message. It is modern if the message has a version in `_meta`, valid or not, or the modern one in the header.
 *
 * `headers` is null if the transport has none (stdio).
 */
export function eraOf(message: Exclude<Message, { kind: 'response' }>, headers: McpHeaders | null): Era {
  const { method, params } = message;
  const meta = metaOf(params);
  const claims = versionKey in meta;
  if (method === 'initialize' && !(claims && envelope.safeParse(meta).success)) {
    if (headers?.version !== modernVersion) return 'handshake';
    throw new RpcError(
      codes.headerMismatch,
      `Revision ${modernVersion}, named in MCP-Protocol-Version, has no \`initialize\`.`,
    );
  }
  return claims || headers?.version === modernVersion ? 'modern' : 'handshake';
}

/**
 * Checks `_meta` and the headers of a request in the modern era.
 *
 * Throws RpcError: -32020 if the two differ, -32602 if keys are missing, -32022 for an unsupported version.
 */
export function checkEnvelope({ method, params }: Request, headers: McpHeaders | null): void {
  const meta = metaOf(params);
  const version = meta[versionKey];
  if (headers !== null && version !== undefined && headers.version !== version) {
    throw mismatch('MCP-Protocol-Version', headers.version, `\`_meta\` of the request names another version`);
  }
  const issues = envelope.safeParse(meta).error?.issues ?? [];
  if (issues.length > 0) {
    const keys = [...new Set(issues.map(({ path }) => String(path[0])))];
    throw new RpcError(
      codes.invalidParams,
      `A request of revision ${modernVersion} needs these keys in \`params._meta\`, with valid values: ${keys.join(', ')}.`,
      { keys },
    );
  }
  if (version !== modernVersion) {
    const requested = String(version).slice(0, 100);
    throw new RpcError(codes.unsupportedVersion, `Protocol version ${requested} is not supported in \`_meta\`.`, {
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
    throw mismatch('Mcp-Name', headers.name, 'it does not match the name or URI in the request');
  }
}

/** Throws RpcError -32600 if the version header of a handshake-era request has no revision of that era. */
export function checkVersionHeader(headers: McpHeaders | null): void {
  const version = headers?.version;
  if (version === undefined || (handshakeVersions as readonly string[]).includes(version)) return;
  throw new RpcError(
    codes.invalidRequest,
    `MCP-Protocol-Version is ${version.slice(0, 100)}; this server supports ${protocolVersions.join(', ')}.`,
  );
}

function metaOf({ _meta }: Params): Params {
  return isObject(_meta) ? _meta : {};
}

/** The value that Mcp-Name has to repeat; undefined if the method needs none, or its params are invalid anyway. */
function namedBy(method: string, params: Params): string | undefined {
  const key = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }[method];
  const value = key === undefined ? undefined : params[key];
  return typeof value === 'string' ? value : undefined;
}

/** The value of a header, decoded if it has the form `=?base64?…?=`; undefined if that is not UTF-8 text. */
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
