import type { InstallableAgent, InstallSource } from '../../agent-text/install-ways.ts';
import type { InstallWay } from '../../schema/mcp.ts';
import type { Settings } from '../../schema/settings.ts';
import { mcpUrl } from '../api/mcp-card.ts';
import type { Site } from '../site.ts';

/** Where readers of a publication install agents from. */
export function installSource({
  title,
  baseUrl,
  repository = null,
  ...settings
}: Pick<Settings, 'title' | 'baseUrl' | 'runtimeUrl'> & { repository?: string | null | undefined }): InstallSource {
  return { title, site: baseUrl, mcp: mcpUrl(settings), repository };
}

/** The ways to install an agent or, with null, the whole catalog, each with the id of its element on a page. */
export function installTabs(
  { installWays }: Pick<Site, 'installWays'>,
  agent: InstallableAgent | null,
): (InstallWay & { id: string })[] {
  return installWays(agent).map((way) => ({
    id: `install-${way.name.toLowerCase().replaceAll(' ', '-')}`,
    ...way,
  }));
}
