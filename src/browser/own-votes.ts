/** The votes that this browser sent, stored only in it. Without storage, nothing is remembered and nothing fails. */

function key(address: string, slug: string): string {
  return `vote ${address} ${slug}`;
}

/** Returns the vote on an agent that was sent to `address`, or null. */
export function ownVote(address: string, slug: string): string | null {
  try {
    return localStorage.getItem(key(address, slug));
  } catch {
    return null;
  }
}

export function rememberVote(address: string, slug: string, vote: string): void {
  try {
    localStorage.setItem(key(address, slug), vote);
  } catch {
    // The browser's settings forbid it, or the storage is full.
  }
}
