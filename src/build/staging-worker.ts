import { answerJobs } from '../site/threads.ts';
import { type StagedFile, StagingFolder, type StagingJob } from './staging.ts';

/** Stages the files of a build in a separate thread. */

answerJobs((root: string) => {
  const folder = new StagingFolder(root);
  return (jobs: StagingJob[]) =>
    jobs.map((job) => {
      const file: StagedFile = { digest: '', stamp: '' };
      if ('from' in job) folder.link(job.path, job.from, file, file);
      else folder.write(job.path, job.content, file);
      return file;
    });
});
