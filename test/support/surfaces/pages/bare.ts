import { older, publication } from '../../rich-catalog.ts';
import { base } from '../known.ts';
import type { Expected } from '../reader.ts';

const { title: name, description } = publication;

/** Pages, and the index for language models, of a preview without agents and without a server: nothing to list, no forms. */
export const barePages: Record<string, Expected> = {
  'index.html': {
    h1: name,
    '.front .standfirst': description,
    '.front p': [description, 'No agent has been published yet.'],
    '.preview': 'This is a preview: it contains agents that are not published yet.',
    'meta[name=robots] @content': 'noindex',
    'section[aria-labelledby]': [
      `Get the next agent ${description} Follow with a feed reader Atom, which every feed reader knows RSS, for older programs JSON feed, for your own programs`,
    ],
    'form.subscribe': [],
    'form.vote': [],
  },
  'archive.html': {
    '.page-head .standfirst': 'One agent a day, 0 so far.',
    '.subjects': [],
    '.tags': [],
    '.entries:not(.result-list)': [],
  },
  'developers.html': {
    'section[aria-labelledby=feeds] p': 'Atom, RSS 2.0 and JSON Feed 1.1 contain the newest agents in full, up to 50.',
    'section[aria-labelledby=feeds] ul': [],
    'section[aria-labelledby=api] dd pre': `curl ${base}/api/agents.json`,
    '#example': [],
    'section[aria-labelledby=mcp] p':
      'This publication has no MCP server. Anyone can run one for the same agents with the program that builds this site.',
    'section[aria-labelledby=mcp] dl': [],
  },
  'agents/older.html': {
    h1: older.title,
    'section[aria-labelledby=related]': [],
    '.between a': [],
    'section[aria-labelledby=verdict]': [],
    'form.subscribe': [],
    'section[aria-labelledby=reuse] p a': ['CC BY 4.0'],
    'a[href*="/issues/"], a[href*="/tree/"]': [],
    '.install h3': ['Claude and ChatGPT', 'Claude Code', 'Cursor', 'Gemini CLI', 'Other assistants', 'Plain text'],
  },
  '404.html': { 'section[aria-labelledby=newest]': [], '.page-head p:last-child': 'Go to the home page.' },
  'about.html': { 'form.subscribe': [] },
  'llms.txt': { 'li:contains("For developers")': 'For developers: how to install the skills' },
};
