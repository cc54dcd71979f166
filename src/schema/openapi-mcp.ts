import { handshakeVersions } from './mcp.ts';
import type { Examples } from './openapi.ts';
import { errorHeaders, failures } from './openapi-errors.ts';
import { ok, reference } from './openapi-parts.ts';

/** The operation that accepts messages of the Model Context Protocol. */
export function mcpRpc(examples: Examples | null) {
  const slug = examples?.envelope.agent.slug ?? 'release-notes';
  const [protocolVersion] = handshakeVersions;
  const { name, version } = examples?.card ?? { name: 'com.example/agents', version: '1.0.0' };
  const client = { protocolVersion, capabilities: {}, clientInfo: { name: 'example-client', version: '1.0.0' } };
  const server = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version } };
  const call = (name: string, given: object) => ({ method: 'tools/call', params: { name, arguments: given } });
  return {
    operationId: 'mcpRpc',
    tags: ['mcp'],
    summary: 'Call the MCP server',
    description:
      'Streamable HTTP with JSON answers: one JSON-RPC 2.0 request, one response. Clients of revision 2025-03-26 may ' +
      'also send an array of requests, and get an array of responses.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { oneOf: [reference('McpRequest'), reference('McpNotification')] },
          examples: {
            initialize: { value: { jsonrpc: '2.0', id: 1, method: 'initialize', params: client } },
            initialized: { value: { jsonrpc: '2.0', method: 'notifications/initialized' } },
            listTools: { value: { jsonrpc: '2.0', id: 2, method: 'tools/list' } },
            search: { value: { jsonrpc: '2.0', id: 3, ...call('search_agents', { query: 'release notes' }) } },
            getAgent: { value: { jsonrpc: '2.0', id: 4, ...call('get_agent', { slug }) } },
            readResource: {
              value: { jsonrpc: '2.0', id: 5, method: 'resources/read', params: { uri: 'agent://catalog' } },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'A JSON-RPC response',
        content: {
          'application/json': {
            schema: { oneOf: [reference('McpResult'), reference('McpError')] },
            examples: {
              initialize: { value: { jsonrpc: '2.0', id: 1, result: server } },
              unknownMethod: {
                value: { jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'This method does not exist.' } },
              },
            },
          },
        },
      },
      202: { description: 'A notification was accepted' },
      ...Object.fromEntries(
        Object.entries({
          400: 'The request cannot be read, or its revision is not supported',
          403: 'The request comes from a page of another site',
          404: 'Revision 2026-07-28 has no such method',
          408: 'The request did not arrive in time',
          413: 'The body is larger than allowed',
          415: 'The content type is not JSON',
          429: 'Too many requests; Retry-After says how many seconds to wait',
          500: 'The server failed',
          503: 'The server is starting',
        }).map(([status, text]) => [
          status,
          {
            ...ok(text, 'McpError', {
              jsonrpc: '2.0',
              id: null,
              error: { code: mcpCodes[status] ?? -32000, message: `${text}.` },
            }),
            ...(errorHeaders[Number(status)] === undefined ? {} : { headers: errorHeaders[Number(status)] }),
          },
        ]),
      ),
      // The address is not known before the headers were read.
      ...failures('headers_too_large'),
    },
  };
}

/** The JSON-RPC codes of refusals that have their own code. */
const mcpCodes: Record<string, number> = { 400: -32600, 404: -32601, 500: -32603 };
