import type { FrontMatter } from './front-matter.ts';

/** An agent as read from its folder, well-formed. */
export interface Agent extends FrontMatter {
  slug: string;
  /** The body of agent.md: Markdown, without blank lines around it. */
  howItWorks: string;
  /** The exact text of prompt.txt. The samples are exact too. */
  prompt: string;
  sampleInput: string;
  sampleOutput: string;
  config: Config | null;
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
  /** When it was committed. */
  time: Date;
  /** Whether it added or removed the whole agent, as a rename does under both names. */
  whole: boolean;
  /** How many lines of prompt.txt it added and removed; null if it did not change the prompt. */
  prompt: { added: number; removed: number } | null;
}

/** The names of the files that every agent has. */
export const requiredFiles = ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'] as const;
