import { html, single } from './artifact.ts';
import { mcpSetup } from './mcp-setup.ts';
import { renderPage } from './page.ts';

export const about = single('about.html', html, 'What the publication is', (site) =>
  renderPage(
    site,
    {
      template: 'about',
      title: 'About',
      description: `What ${site.settings.title} is, and who publishes it.`,
      path: 'about',
    },
    { count: site.agents.length },
  ),
);

export const developers = single('developers.html', html, 'How to use the API, MCP, the feeds and the skills', (site) =>
  renderPage(
    site,
    {
      template: 'developers',
      title: 'For developers',
      description: 'The JSON API, MCP, the text indexes, the feeds and the skills.',
      path: 'developers',
    },
    {
      baseUrl: site.settings.baseUrl,
      runtimeUrl: site.settings.runtimeUrl,
      example: site.agents[0]?.document ?? null,
      outputs: site.outputs,
      mcp: mcpSetup(site.settings),
    },
  ),
);
