import { load } from 'cheerio';

/** What assistive software calls the parts of pages that have a name, and what describes them, each once and sorted. */
export function namesOf(pages: Iterable<string>): string[] {
  return [...new Set([...pages].flatMap(namesOn))].sort();
}

function namesOn(html: string): string[] {
  const document = load(html);
  const textOf = (ids: string) =>
    ids.split(' ').map((id) => {
      const named = document(`[id="${id}"]`);
      return named.length === 1 ? named.text().trim() : `(${named.length} elements have the id ${id})`;
    });
  return document('[aria-label], [aria-labelledby], [aria-describedby]')
    .toArray()
    .map(({ tagName, attribs }) => {
      const { 'aria-label': label, 'aria-labelledby': labels, 'aria-describedby': described } = attribs;
      const own = label ?? document(`label[for="${attribs.id}"]`).text();
      const name = labels === undefined ? own : textOf(labels).join(' ');
      return `${tagName}: ${name}${described === undefined ? '' : ` (${textOf(described).join(' / ')})`}`;
    });
}

/** All names on the pages of the rich catalog. */
export const names: readonly string[] = [
  'article: The <i>newer &amp; last</i> agent',
  'div: Everything that is served',
  'div: Table: article, shown, verdict, look up',
  'input: Your email address (An email may ask you to confirm your address first. Every email has a link to unsubscribe.)',
  'nav: Earlier and later agents',
  'nav: Main',
  'nav: On this page',
  'pre: Address of the MCP server',
  'pre: Attribution',
  'pre: Get one agent',
  'pre: Get one prompt',
  'pre: How it starts',
  'pre: Install skills',
  'pre: List all agents',
  'pre: Sample input',
  'pre: Sample output',
  'pre: Set-up for ChatGPT',
  'pre: Set-up for Claude Code',
  'pre: Set-up for Claude Desktop and claude.ai',
  'pre: Set-up for Codex',
  'pre: Set-up for Copilot CLI',
  'pre: Set-up for Cursor',
  'pre: Set-up for Gemini CLI',
  'pre: Set-up for VS Code',
  'pre: Set-up for opencode',
  'pre: Start of the sample input',
  'pre: The answer',
  'pre: The answer to the first command, shortened to the newest agent',
  'pre: The input',
  'pre: The prompt',
  'pre: To paste, for Claude Code',
  'pre: To paste, for Claude and ChatGPT',
  'pre: To paste, for Codex',
  'pre: To paste, for Copilot CLI',
  'pre: To paste, for Cursor',
  'pre: To paste, for Gemini CLI',
  'pre: To paste, for GitHub CLI',
  'pre: To paste, for MCP',
  'pre: To paste, for Other assistants',
  'pre: To paste, for Plain text',
  'pre: With the prompt',
  'pre: config-name.json',
  'section: Agents',
  'section: By category',
  'section: By tag',
  'section: Config',
  'section: Earlier agents',
  'section: Everything that is served',
  'section: February 2026',
  'section: Feeds',
  'section: First steps',
  'section: Follow',
  'section: For language models',
  'section: Get the next agent',
  'section: How it works',
  'section: Install it',
  'section: Install the whole catalog',
  'section: JSON API',
  'section: January 2026',
  'section: MCP',
  'section: March 2026',
  'section: Narrow it down',
  'section: Newest',
  'section: One a day',
  'section: Prompt history',
  'section: Proof',
  'section: Publisher',
  'section: Related',
  'section: Reuse',
  'section: Skills',
  'section: Steps',
  'section: The problem',
  'section: The prompt',
  'section: The trap',
  'section: Use it',
  'section: Walkthrough',
  'section: Was it useful?',
  'section: What an agent is',
  'section: What comes back',
  'section: Worked example',
  'textarea: NOTES (optional) (Rows <i>&amp;</i> “quoted”. / )',
  'textarea: NOTES (optional) (mails about the stock. When they are missing, go on without them. / )',
  'textarea: ROWS (required) (one article a line, as “article, count, price”. When it is missing, ask for it once and stop. / )',
  'textarea: Your input',
];
