import { once } from '../once.ts';
import { type FrontMatter, frontMatterSchema } from './front-matter.ts';
import type { Evals, Proof } from './graded.ts';

/** An agent as read from its folder, well-formed. */
export interface Agent extends FrontMatter {
  slug: string;
  /** A hash of its files. */
  digest: string;
  /** A hash of its fields without the long texts. */
  headDigest: string;
  /** The body of agent.md: Markdown, without blank lines around it. */
  howItWorks: string;
  /** The exact text of prompt.txt. The samples are exact too. */
  prompt: string;
  sampleInput: string;
  sampleOutput: string;
  config: Config | null;
  /** Its cases with the recorded answers; null if it has none. */
  evals: Evals | null;
  /** How the recorded answers did; null if there are none. */
  proof: Proof | null;
  /** Whether an earlier build parsed it, so that its long texts are only read when they are used. */
  isRecalled?: true;
}

/** An agent without its long texts: what lists, neighbors and the search show of it. */
export interface AgentHead
  extends Omit<
    Agent,
    'howItWorks' | 'demo' | 'prompt' | 'sampleInput' | 'sampleOutput' | 'config' | 'evals' | 'isRecalled'
  > {
  /** The name of the config file, or null. */
  configFile: string | null;
}

const shortFields = Object.keys(
  frontMatterSchema({ categories: null, difficulties: null, runtimes: null }).omit({ demo: true }).shape,
) as (keyof FrontMatter & keyof AgentHead)[];

/** The head of an agent, its fields always in the same order. */
export function headOf(agent: Agent): AgentHead {
  const fields = shortFields.map((field) => [field, agent[field]]);
  const { slug, digest, headDigest, config, proof } = agent;
  return { slug, digest, headDigest, configFile: config?.file ?? null, proof, ...Object.fromEntries(fields) };
}

/** The agent of a head. `read` is called once, when the first of its long texts is used. */
export function agentOf({ configFile, ...head }: AgentHead, read: () => Agent): Agent {
  const long = once(read);
  const configNamed = (file: string) => ({
    file,
    get text() {
      return long().config?.text ?? '';
    },
    get value() {
      return long().config?.value ?? '';
    },
  });
  return {
    ...head,
    isRecalled: true,
    get howItWorks() {
      return long().howItWorks;
    },
    get demo() {
      return long().demo;
    },
    get prompt() {
      return long().prompt;
    },
    get sampleInput() {
      return long().sampleInput;
    },
    get sampleOutput() {
      return long().sampleOutput;
    },
    config: configFile === null ? null : configNamed(configFile),
    get evals() {
      return long().evals;
    },
  };
}

/** The config of an agent. */
export interface Config {
  /** The name of the file in the folder, such as `config.json`. */
  file: string;
  text: string;
  /** The parsed value if the file is a JSON object, or else its text. */
  value: string | Record<string, unknown>;
}

/** An agent that a build renders. */
export interface NumberedAgent extends Agent {
  issue: number;
}

/** A commit that changed an agent, other than by adding its number. */
export interface Change {
  /** The full hash of the commit. */
  commit: string;
  /** When it was committed, in milliseconds since 1970. */
  time: number;
  /** Whether it added or removed the whole agent, as a rename does under both names. */
  whole: boolean;
  /**
   * How many lines of prompt.txt it added and removed, and the SHA-256 of the result (null if it is gone); null if it did
   * not change the prompt.
   */
  prompt: { added: number; removed: number; sha256: string | null } | null;
}

/** The names of the files that every agent has. */
export const requiredFiles = ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'] as const;
