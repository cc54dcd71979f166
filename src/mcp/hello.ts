import { contributedPrompts } from '../agent-text/agent-sections.ts';
import { plural } from '../plural.ts';
import { promptLicense } from '../schema/license.ts';
import { handshakeVersions, protocolVersions } from '../schema/mcp.ts';
import type { McpCatalog } from './catalog.ts';
import { skillsExtension } from './skills.ts';

/** What the server offers. Where it can send notifications, it says when lists change. */
function capabilities({ listChanged }: McpCatalog) {
  const list = listChanged ? { listChanged } : {};
  return { tools: list, resources: list, prompts: list, completions: {} };
}

/** The server as its card describes it. */
export function serverInfo({ card: { name, title, version, description, websiteUrl, icons } }: McpCatalog) {
  return { name, title, version, description, websiteUrl, icons };
}

/** initialize: agrees to the requested revision if it has a handshake, else offers the newest that has one. */
export function initialize({ protocolVersion }: { protocolVersion: string }, catalog: McpCatalog): object {
  const known = handshakeVersions.find((version) => version === protocolVersion);
  return {
    protocolVersion: known ?? handshakeVersions[0],
    capabilities: capabilities(catalog),
    serverInfo: serverInfo(catalog),
    instructions: instructions(catalog),
  };
}

/** server/discover */
export function discover(catalog: McpCatalog): object {
  return {
    supportedVersions: protocolVersions,
    capabilities: { ...capabilities(catalog), extensions: { [skillsExtension]: {} } },
    instructions: instructions(catalog),
  };
}

function instructions({ card, agents }: McpCatalog): string {
  return (
    `${card.title}: ${plural(agents.length, 'reusable prompt')} ("agents"), one new each day. Find one with search_agents, get it ` +
    'with get_agent, then follow its prompt, with what the user provides as its INPUT. Each agent is also a prompt named by ' +
    `its slug. ${contributedPrompts} The prompts are under ${promptLicense.name}: credit the publisher when you reuse one.`
  );
}
