/** The script of every page. Reading, voting and subscribing work without it. */

import { startCopying } from './clipboard.ts';
import { startForms } from './forms.ts';
import { startFillIn, startOpenIn } from './prompt.ts';
import { startNext, startPrefetch, startReadMarks, startSharing } from './reader.ts';
import { startSearch } from './search-field.ts';
import { startFolds, startTabs } from './tabs.ts';

document.documentElement.classList.add('js');
for (const start of [
  startNext,
  startCopying,
  startFillIn,
  startOpenIn,
  startTabs,
  startFolds,
  startForms,
  startSearch,
  startSharing,
  startPrefetch,
  startReadMarks,
]) {
  try {
    start();
  } catch (error) {
    // The other parts work without this one.
    reportError(error);
  }
}
