import { searchIndex, searchIndexJson } from '../search.ts';
import { json, single } from './artifact.ts';

export default single('search-index.json', json, 'The search index (MiniSearch) that the pages load', ({ agents }) =>
  searchIndexJson(searchIndex(agents)),
);
