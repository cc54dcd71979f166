import { answerJobs } from '../job-threads.ts';
import { type StagedFile, StagingFolder, type StagingJob } from './staging.ts';

/** Stages the files of a build in a separate thread. */

answerJobs((root: string) => {
  const folder = new StagingFolder(root);
  return (jobs: StagingJob[]) =>
    jobs.map(([path, content, from]) => {
      const file: StagedFile = { digest: '', stamp: '' };
      if (content === null) folder.link(path, from, file, file);
      else folder.write(path, content, file);
      return file;
    });
});
