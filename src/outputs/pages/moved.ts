import { listed, type Output } from '../output.ts';
import { renderPage } from '../shared/page.ts';
import type { Site } from '../site.ts';

/** A redirect page at each former address of an agent, so that no link to it breaks. */
export default {
  path: 'agents/{former}.html',
  also: 'agents/{former}/index.html',
  purpose: 'A redirect from a former slug to the agent',
  *files(site) {
    for (const [former, slug] of site.moved) {
      const path = `agents/${former}`;
      const inputs = [slug, ...listed(site.agents.filter((agent) => agent.slug === slug))];
      yield { path: `${path}.html`, inputs, copy: `${path}/index.html`, render: () => pointer(site, former, slug) };
    }
  },
} satisfies Output;

function pointer(site: Site, former: string, slug: string): string {
  const { title } = site.agents.find((agent) => agent.slug === slug) ?? { title: slug };
  const path = `agents/${slug}`;
  return renderPage(
    site,
    {
      template: 'moved',
      title: `${title} has moved from ${former}`,
      description: `${title}, which was called ${former}, is at another address.`,
      path,
      moved: true,
    },
    { path, title },
  );
}
