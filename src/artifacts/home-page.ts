import { html, single } from './artifact.ts';
import { filterChoices } from './filter-choices.ts';
import { renderPage } from './page.ts';

/** How many agents the home page shows besides the newest. */
const newest = 20;

export default single('index.html', html, "Today's agent and the newest ones", (site) =>
  renderPage(
    site,
    { template: 'home', title: null, description: site.settings.description, path: '', ownSearch: true },
    {
      lead: site.agents[0]?.document ?? null,
      agents: site.agents.slice(1, newest + 1).map(({ document }) => document),
      count: site.agents.length,
      choices: filterChoices(site),
    },
  ),
);
