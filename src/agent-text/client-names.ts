/** The names that assistants know a catalog by, and texts that a shell takes as they are. */

/**
 * The name of the server in a client's settings: the title's ASCII letters and digits, joined by hyphens, or `agents`.
 * Accents are dropped. Every client and every shell accepts such a name.
 */
export function clientName(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 40).replace(/-+$/, '') || 'agents';
}

/** Names that Claude Code keeps for the marketplaces of its vendor. */
const reserved = /claude|anthropic|^(?:agent-skills|life-sciences|knowledge-work-plugins)$/;

/** The name of the marketplace, which readers write after the name of a plugin: from the title, or else from the host. */
export function marketplaceName({ title, baseUrl }: { title: string; baseUrl: string }): string {
  const names = [clientName(title), clientName(new URL(baseUrl).hostname)];
  return names.find((name) => !reserved.test(name)) ?? 'agents';
}

/** Percent-encodes every character of an address that could mean something to a shell. */
export function withoutShell(url: string): string {
  return url.replace(/[^\w.:/~%[\]-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
