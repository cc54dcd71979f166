import { installTabs } from '../install/install-source.ts';
import { listed, single, whole } from '../output.ts';
import { documentsOf } from '../shared/agent-document.ts';
import { categoriesOf, counted } from '../shared/groups.ts';
import { type PageHead, renderPage } from '../shared/page.ts';
import { listNode, websiteNode } from '../shared/structured-data.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { filterChoices } from './filter-choices.ts';
import { plateOf } from './plate.ts';

/** How many agents the home page shows besides the newest. */
const newest = 12;
/** How many of today's steps it shows. */
const firstSteps = 3;

export default single(
  'index.html',
  "Today's agent and the newest ones",
  (site) => {
    const categories = categoriesOf(site);
    return renderPage(
      site,
      { template: 'home', title: null, description: site.settings.description, path: '', ...headOf(site) },
      {
        lead: site.agents[0]?.document ?? null,
        steps: site.agents[0]?.steps.slice(0, firstSteps) ?? [],
        plate: site.agents[0] === undefined ? null : plateOf(site.agents[0].prompt),
        categories: categories.map(counted),
        agents: documentsOf(homeAgents(site).slice(1)),
        count: site.agents.length,
        choices: filterChoices(site, categories),
        ways: installTabs(site, null),
      },
    );
  },
  ({ agents }) => [...whole(agents.slice(0, 1)), ...listed(agents)],
);

/** The agents that the home page shows. */
export function homeAgents({ agents }: Site): readonly PublishedAgent[] {
  return agents.slice(0, newest + 1);
}

/** The home page has the color of the newest agent's category. */
function headOf(site: Site): Pick<PageHead, 'category' | 'section' | 'ownSearch' | 'plates' | 'graph'> {
  const [newest] = site.agents;
  return {
    section: 'today',
    ownSearch: true,
    graph: [websiteNode(site), ...(newest === undefined ? [] : [listNode(site, '', homeAgents(site))])],
    ...(newest === undefined ? {} : { category: newest.category, plates: true }),
  };
}
