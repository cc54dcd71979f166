import { html, single } from './artifact.ts';
import { filterChoices } from './filter-choices.ts';
import { categoriesOf } from './groups.ts';
import { type PageHead, renderPage } from './page.ts';
import { plateOf } from './plate.ts';
import type { Site } from './site.ts';
import { websiteNode } from './structured-data.ts';

/** How many agents the home page shows besides the newest. */
const newest = 12;
/** How many of today's steps it shows. */
const firstSteps = 3;

export default single('index.html', html, "Today's agent and the newest ones", (site) =>
  renderPage(
    site,
    { template: 'home', title: null, description: site.settings.description, path: '', ...headOf(site) },
    {
      lead: site.agents[0]?.document ?? null,
      steps: site.agents[0]?.steps.slice(0, firstSteps) ?? [],
      plate: site.agents[0] === undefined ? null : plateOf(site.agents[0].prompt),
      categories: categoriesOf(site).map(({ key, label, description, agents }) => ({
        key,
        label,
        description,
        count: agents.length,
      })),
      agents: site.agents.slice(1, newest + 1).map(({ document }) => document),
      count: site.agents.length,
      choices: filterChoices(site),
    },
  ),
);

/** The home page has the colour of the newest agent's category. */
function headOf(site: Site): Pick<PageHead, 'category' | 'section' | 'ownSearch' | 'plates' | 'graph'> {
  const [newest] = site.agents;
  return {
    section: 'today',
    ownSearch: true,
    graph: [websiteNode(site)],
    ...(newest === undefined ? {} : { category: newest.category, plates: true }),
  };
}
