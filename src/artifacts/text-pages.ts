import { catalogOf } from './api.ts';
import { html, single, toJson } from './artifact.ts';
import { categoriesOf } from './groups.ts';
import { renderPage } from './page.ts';
import type { Site } from './site.ts';
import { breadcrumbNode } from './structured-data.ts';

export const about = single('about.html', html, 'What the publication is', (site) =>
  renderPage(
    site,
    {
      template: 'about',
      title: 'About',
      description: `What ${site.settings.title} is, and who publishes it.`,
      path: 'about',
      section: 'about',
      graph: [breadcrumbNode(site, [{ name: 'About', path: 'about' }])],
    },
    { count: site.agents.length },
  ),
);

export const developers = single('developers.html', html, 'How to use the API, the feeds and the skills', (site) =>
  renderPage(
    site,
    {
      template: 'developers',
      title: 'For developers',
      description: 'The JSON API, the text indexes, the feeds and the skills.',
      path: 'developers',
      section: 'developers',
      plates: true,
      graph: [breadcrumbNode(site, [{ name: 'For developers', path: 'developers' }])],
    },
    {
      baseUrl: site.settings.baseUrl,
      runtimeUrl: site.settings.runtimeUrl,
      example: site.agents[0]?.document ?? null,
      exampleJson: exampleOf(site),
      categories: categoriesOf(site).map(({ key, label }) => ({ label, file: `${key}.xml` })),
      outputs: site.outputs,
    },
  ),
);

/** What the API answers, with the newest agent alone; null where there is none. */
function exampleOf(site: Site): string | null {
  if (site.agents.length === 0) return null;
  return toJson({ ...catalogOf(site, 1), count: site.agents.length }).trimEnd();
}
