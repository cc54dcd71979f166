import { searchIndex, searchIndexJson } from '../../search/search-index.ts';
import { json, single } from '../output.ts';

export default single('search-index.json', json, 'The search index (MiniSearch) that the pages load', ({ agents }) =>
  searchIndexJson(searchIndex(agents)),
);
