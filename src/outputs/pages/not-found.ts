import { html, single } from '../output.ts';
import { documentsOf } from '../shared/agent-document.ts';
import { renderPage } from '../shared/page.ts';

export default single('404.html', html, 'The page for an address that does not exist', (site) =>
  renderPage(
    site,
    {
      template: '404',
      title: 'Not found',
      description: 'There is no page at this address.',
      path: null,
      ownSearch: true,
    },
    { agents: documentsOf(site.agents.slice(0, 5)) },
  ),
);
