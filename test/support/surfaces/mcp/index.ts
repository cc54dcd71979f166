import type { Asked } from './asked.ts';
import { documentRows } from './documents.ts';
import { findRows } from './find.ts';
import { getAgentRows } from './get-agent.ts';
import { serverRows } from './server.ts';

/** What the MCP server answers over the rich catalog: every request, by what is asked. */
export const mcpRows: Record<string, Asked> = { ...serverRows, ...findRows, ...getAgentRows, ...documentRows };
