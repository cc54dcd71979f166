/** What changed on the disk since the last update. */
export interface Changes {
  /** The names of changed folders in agents/, or `all`. */
  agents: ReadonlySet<string> | 'all';
  settings: boolean;
  templates: boolean;
}

export const everything: Changes = { agents: 'all', settings: true, templates: true };
export const nothing: Changes = { agents: new Set(), settings: false, templates: false };
