import { answerJobs } from '../threads.ts';
import { drawer } from './drawing.ts';

/** Draws SVG documents, one after another, in a separate thread. */

answerJobs(drawer);
