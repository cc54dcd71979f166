import { html, single } from '../output.ts';
import { renderPage } from '../shared/page.ts';

export default single('404.html', html, 'The page for an address that does not exist', (site) =>
  renderPage(
    site,
    {
      template: '404',
      title: 'Not found',
      description: 'There is nothing at this address.',
      path: null,
      ownSearch: true,
    },
    { agents: site.agents.slice(0, 5).map(({ document }) => document) },
  ),
);
