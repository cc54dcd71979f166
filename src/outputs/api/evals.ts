import { toJson } from '../../schema/documents.ts';
import { type AgentEvals, agentEvalsPath, type EvalsList, evalsPath } from '../../schema/graded.ts';
import { listed, type Output, ofAgent, single } from '../output.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** The recorded answers of an agent that has any, with their grades. */
export const agent: Output = {
  path: agentEvalsPath,
  purpose: 'The recorded answers of an agent with their grades (getEvals), if it has any',
  *files({ agents }) {
    for (const agent of agents) {
      if (agent.proof === null) continue;
      const path = agentEvalsPath.replace('{slug}', agent.slug);
      yield ofAgent(agent, path, () => toJson(evalsOf(agent)));
    }
  },
};

/** The results of the recorded answers of all agents. */
export const list = single(
  evalsPath,
  'The results of the recorded answers of all agents (listEvals)',
  (site) => toJson(evalsListOf(site)),
  ({ agents }) => listed(agents),
);

/** The response of getEvals. */
function evalsOf({ document, evals }: PublishedAgent): AgentEvals {
  const { slug, url } = document;
  return { slug, url, cases: evals?.cases ?? [], answers: evals?.answers ?? [] };
}

function evalsListOf({ agents, url }: Site): EvalsList {
  const entries = agents.flatMap(({ slug, issue, proof }) =>
    proof === null ? [] : [{ slug, issue, evals: url.absolute(agentEvalsPath.replace('{slug}', slug)), proof }],
  );
  return { agents: entries };
}
