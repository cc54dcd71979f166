import type { AgentDocument } from '../../schema/documents.ts';
import type { Site } from '../site.ts';

/** A command that brings an agent into a reader's own tools. */
export interface InstallCommand {
  /** The id of its text on the page. */
  id: string;
  label: string;
  command: string;
}

/** The commands for an agent: as a skill, all agents over MCP where there is a runtime, the prompt as a file. */
export function installCommands(
  { settings }: Site,
  { slug, promptUrl }: Pick<AgentDocument, 'slug' | 'promptUrl'>,
): InstallCommand[] {
  const { title, baseUrl, runtimeUrl } = settings;
  return [
    {
      id: 'install-skill',
      label: 'As a skill, for coding assistants',
      command: `npx skills add ${baseUrl} --skill ${slug}`,
    },
    ...(runtimeUrl === null
      ? []
      : [
          {
            id: 'install-mcp',
            label: 'Every agent over MCP, here in Claude Code',
            command: `claude mcp add --transport http ${serverName(title)} ${runtimeUrl}/api/mcp`,
          },
        ]),
    { id: 'install-curl', label: 'The prompt as a file', command: `curl -fsS -o ${slug}.txt ${promptUrl}` },
  ];
}

/** A name for the server in a reader's settings, from the publication's title: letters, digits and hyphens. */
function serverName(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words?.join('-') ?? 'agents';
}
