import { extname } from 'node:path/posix';
import { configTypes } from '../../schema/config-files.ts';
import { type Output, plain } from '../output.ts';

export const prompt: Output = {
  path: 'agents/{slug}/prompt.txt',
  type: plain,
  purpose: 'The prompt, byte for byte',
  *files({ agents }) {
    for (const { slug, prompt } of agents)
      yield { path: `agents/${slug}/prompt.txt`, agent: slug, render: () => prompt };
  },
};

export const sampleOutput: Output = {
  path: 'agents/{slug}/sample-output.txt',
  type: plain,
  purpose: 'The ideal answer to the sample input',
  *files({ agents }) {
    for (const { slug, sampleOutput } of agents) {
      yield { path: `agents/${slug}/sample-output.txt`, agent: slug, render: () => sampleOutput };
    }
  },
};

export const config: Output = {
  path: 'agents/{slug}/config.{ext}',
  type: (path) => configTypes[extname(path).slice(1)] ?? plain,
  purpose: 'The config, if the agent has one',
  *files({ agents }) {
    for (const { slug, config } of agents) {
      if (config !== null) yield { path: `agents/${slug}/${config.file}`, agent: slug, render: () => config.text };
    }
  },
};
