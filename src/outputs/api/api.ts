import { type AgentEnvelope, type Catalog, contractVersion, toJson } from '../../schema/documents.ts';
import { catalogSchema } from '../../schema/json-schema.ts';
import { openApi } from '../../schema/openapi.ts';
import { forAgents, listed, none, single, whole } from '../output.ts';
import { summaryOf } from '../shared/agent-document.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { serverCard } from './mcp-card.ts';

export const agent = forAgents(
  'api/agents/{slug}.json',
  'One agent with its prompt and config (getAgent)',
  (site, agent) => toJson(envelopeOf(site, agent)),
);

export const catalog = single(
  'api/agents.json',
  'Every agent, newest first (listAgents)',
  (site) => toJson(catalogOf(site)),
  ({ agents }) => listed(agents),
);

export const schema = single(
  'api/schema.json',
  'The JSON Schema of the catalog and of an agent (getSchema)',
  ({ url }) => toJson(catalogSchema(url.absolute('api/schema.json'))),
  none,
);

export const openapi = single(
  'api/openapi.json',
  'The OpenAPI description of the service (getOpenApi)',
  (site) => {
    const [newest] = site.agents;
    return toJson(
      openApi(
        site.settings,
        newest === undefined
          ? null
          : { catalog: catalogOf(site, 2), envelope: envelopeOf(site, newest), card: serverCard(site.settings) },
      ),
    );
  },
  ({ agents }) => whole(agents.slice(0, 2)),
);

function envelopeOf({ url }: Site, { document }: PublishedAgent): AgentEnvelope {
  return { version: contractVersion, schema: url.absolute('api/schema.json'), agent: document };
}

/** The response of listAgents, with at most the `most` newest agents. */
export function catalogOf({ url, agents }: Site, most = agents.length): Catalog {
  const listed = agents.slice(0, most);
  return {
    version: contractVersion,
    schema: url.absolute('api/schema.json'),
    count: listed.length,
    agents: listed.map(({ document }) => summaryOf(document)),
  };
}
