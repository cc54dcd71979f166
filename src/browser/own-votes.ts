import { recall, remember } from './memory.ts';

/** The votes that this browser sent. */

function key(address: string, slug: string): string {
  return `vote ${address} ${slug}`;
}

/** Returns the vote on an agent that was sent to `address`, or null. */
export function ownVote(address: string, slug: string): string | null {
  return recall(key(address, slug));
}

export function rememberVote(address: string, slug: string, vote: string): void {
  remember(key(address, slug), vote);
}
