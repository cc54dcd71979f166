import type { AgentDocument } from '../../schema/documents.ts';
import type { Site } from '../site.ts';
import { mcpSetup, withoutShell } from './mcp-setup.ts';

/** A command that adds an agent to a reader's tools. */
export interface InstallCommand {
  /** The id of its element on the page. */
  id: string;
  label: string;
  command: string;
}

/** The commands for an agent: as a skill, all agents over MCP if there is a server, the prompt as a file. */
export function installCommands(
  { settings }: { settings: Pick<Site['settings'], 'title' | 'baseUrl' | 'runtimeUrl'> },
  { slug, promptUrl }: Pick<AgentDocument, 'slug' | 'promptUrl'>,
): InstallCommand[] {
  const claudeCode = mcpSetup(settings)?.clients.find(({ name }) => name === 'Claude Code');
  return [
    {
      id: 'install-skill',
      label: 'As a skill, for coding assistants',
      command: `npx skills add ${withoutShell(settings.baseUrl)} --skill ${slug}`,
    },
    ...(claudeCode === undefined
      ? []
      : [{ id: 'install-mcp', label: 'Every agent over MCP, here in Claude Code', command: claudeCode.paste }]),
    {
      id: 'install-curl',
      label: 'The prompt as a file',
      command: `curl -fsS -o ${slug}.txt ${withoutShell(promptUrl)}`,
    },
  ];
}
