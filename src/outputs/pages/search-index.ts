import { searchIndex, searchIndexJson } from '../../search/search-index.ts';
import { json, listed, single } from '../output.ts';

export default single(
  'search-index.json',
  json,
  'The search index (MiniSearch) that the pages load',
  ({ agents }) => searchIndexJson(searchIndex(agents)),
  ({ agents }) => listed(agents),
);
