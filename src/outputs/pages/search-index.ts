import { searchIndex, searchIndexJson } from '../../search/search-index.ts';
import { listed, single } from '../output.ts';

export default single(
  'search-index.json',
  'The search index (MiniSearch) that the pages load',
  ({ agents }) => searchIndexJson(searchIndex(agents)),
  ({ agents }) => listed(agents),
);
