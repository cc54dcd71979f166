import { forAgents, type Output, ofAgent } from '../output.ts';

export const prompt = forAgents('agents/{slug}/prompt.txt', 'The prompt, byte for byte', (_, agent) => agent.prompt);

export const sampleOutput = forAgents(
  'agents/{slug}/sample-output.txt',
  'The ideal answer to the sample input',
  (_, agent) => agent.sampleOutput,
);

export const config: Output = {
  path: 'agents/{slug}/config.{ext}',
  purpose: 'The config, if the agent has one',
  *files({ agents }) {
    for (const agent of agents) {
      const { slug, config } = agent;
      if (config === null) continue;
      yield ofAgent(agent, `agents/${slug}/${config.file}`, () => config.text);
    }
  },
};
