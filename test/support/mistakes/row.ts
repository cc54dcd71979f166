import type { RuleCode } from '../../../src/schema/rules.ts';
import { type SmallAgent, smallAgent } from '../catalog.ts';

/** A mistake that an editor can make, as a change to a valid catalog, with the expected report. */
export interface Mistake {
  /** The mistake of the editor, in words. */
  name: string;
  code: RuleCode;
  /** file:line:column of the only diagnostic with that code. */
  at: string;
  agents?: SmallAgent[];
  settings?: object;
  /** A change to the folder that has no other way. */
  change?: (folder: string) => void;
  /** The end of a path that cannot be read. */
  unreadable?: string;
  /** A text in how an agent works on which the program fails. */
  breakOn?: string;
}

/** Returns a catalog of one agent with this change. */
export const one = (change: Partial<SmallAgent> = {}): SmallAgent[] => [{ slug: 'one', date: '2026-01-01', ...change }];

/** Returns a catalog of one agent with these keys in its front matter. */
export const front = (keys: Record<string, string | null>) => one({ front: keys });

/** Returns a catalog of one agent with this content of one of its files. */
export const file = (name: string, content: string | Uint8Array | null) => one({ files: { [name]: content } });

/** The path of the agent's agent.md, and the valid texts that rows change. */
export const md = 'agents/one/agent.md';
export const agentMd = String(smallAgent({ slug: 'one', date: '2026-01-01' })['agent.md']);
export const prompt = 'INPUT\n- TEXT: the text\n\nRULES\n1. Use TEXT only.\n\nOUTPUT\nOne line about one.\n';
