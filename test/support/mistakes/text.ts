import * as placeholders from '../../../src/content/parse/placeholders.ts';
import { goodPrompt, goodSampleInput, goodSampleOutput } from '../good-agent.ts';
import { agentMd, file, front, type Mistake, md, prompt } from './row.ts';

const conflict = (ours: string, theirs: string) => `<<<<<<< HEAD\n${ours}\n=======\n${theirs}\n>>>>>>> main\n`;

/** Mistakes in texts: hidden characters, secrets, merge conflicts and remaining placeholders. */
export const textMistakes: Mistake[] = [
  {
    name: 'a right-to-left override',
    code: 'text/hidden-character',
    at: 'agents/one/prompt.txt:5:12',
    agents: file('prompt.txt', prompt.replace('TEXT only', 'TEXT\u202e only')),
  },
  {
    name: 'a zero-width space',
    code: 'text/hidden-character',
    at: `${md}:2:11`,
    agents: front({ title: 'The\u200b agent' }),
  },
  {
    name: 'Unicode tags that a model reads and a person does not',
    code: 'text/hidden-character',
    at: 'agents/one/sample-input.txt:1:12',
    agents: file('sample-input.txt', 'TEXT: hello\u{e0049}\u{e0067}\n'),
  },
  {
    name: 'a byte-order mark',
    code: 'text/hidden-character',
    at: 'agents/one/sample-input.txt:1:1',
    agents: file('sample-input.txt', '\ufeffTEXT: hello\n'),
  },
  {
    name: 'an API key in the prompt',
    code: 'text/secret',
    at: 'agents/one/prompt.txt:5:18',
    agents: file('prompt.txt', prompt.replace('TEXT only', `TEXT with ${'ghp_'}${'a1B2'.repeat(9)}`)),
  },
  {
    name: 'a merge conflict in the prompt',
    code: 'text/conflict',
    at: 'agents/one/prompt.txt:5:1',
    agents: file('prompt.txt', prompt.replace(/1\. Use.*\n/, conflict('1. Use TEXT only.', '1. Use TEXT.'))),
  },
  {
    name: 'a merge conflict in the front matter',
    code: 'text/conflict',
    at: `${md}:2:1`,
    agents: file('agent.md', agentMd.replace(/title:.*\n/, conflict('title: One', 'title: Two'))),
  },
  {
    name: 'a merge conflict in how it works',
    code: 'text/conflict',
    at: `${md}:31:1`,
    agents: file('agent.md', agentMd.replace(/It works.*\n/, conflict('It works.', 'It works well.'))),
  },
  {
    name: 'a merge conflict in a sample',
    code: 'text/conflict',
    at: 'agents/one/sample-input.txt:9:1',
    agents: file('sample-input.txt', `${goodSampleInput}${conflict('mat, 1, 2.00', 'mat, 1, 3.00')}`),
  },
  {
    name: 'a merge conflict in a config',
    code: 'text/conflict',
    at: 'agents/one/config.json:1:1',
    agents: file('config.json', conflict('{}', '{ "a": 1 }')),
  },
  {
    name: 'the end of a merge conflict',
    code: 'text/conflict',
    at: 'agents/one/sample-output.txt:12:1',
    agents: file('sample-output.txt', `${goodSampleOutput}=======\nOdd: all\n>>>>>>> main\n`),
  },
  {
    name: 'a placeholder of catalog new in the prompt',
    code: 'text/placeholder',
    at: 'agents/one/prompt.txt:1:1',
    agents: file('prompt.txt', `${placeholders.prompt(null).match(/\[Replace.*\]/)?.[0]}\n\n${goodPrompt}`),
  },
  {
    name: 'the excerpt of catalog new',
    code: 'text/placeholder',
    at: `${md}:8:10`,
    agents: front({ excerpt: placeholders.excerpt }),
  },
  {
    name: 'the sample input of catalog new',
    code: 'text/placeholder',
    at: 'agents/one/sample-input.txt:3:3',
    agents: file('sample-input.txt', placeholders.sampleInput(null).replace(/^1 .*\n/m, '1 The guests arrive.\n')),
  },
];
