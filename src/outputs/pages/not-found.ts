import { listed, single } from '../output.ts';
import { documentsOf } from '../shared/agent-document.ts';
import { renderPage } from '../shared/page.ts';
import type { PublishedAgent, Site } from '../site.ts';

export default single(
  '404.html',
  'The page for an address that does not exist',
  (site) =>
    renderPage(
      site,
      {
        template: '404',
        title: 'Not found',
        description: 'There is no page at this address.',
        path: null,
        ownSearch: true,
      },
      { agents: documentsOf(newestOf(site)) },
    ),
  (site) => listed(newestOf(site)),
);

function newestOf({ agents }: Site): readonly PublishedAgent[] {
  return agents.slice(0, 5);
}
