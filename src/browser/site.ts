/** The script of every page. Reading, voting and subscribing work without it. */

import { startCopying } from './copy.ts';
import { startFillIn } from './fill-in.ts';
import { startFolds } from './folds.ts';
import { startForms } from './forms.ts';
import { startOpenIn } from './open-in.ts';
import { startSearch } from './search-field.ts';
import { startTabs } from './tabs.ts';

document.documentElement.classList.add('js');
for (const start of [startCopying, startFillIn, startOpenIn, startTabs, startFolds, startForms, startSearch]) {
  try {
    start();
  } catch (error) {
    // The other parts work without this one.
    reportError(error);
  }
}
