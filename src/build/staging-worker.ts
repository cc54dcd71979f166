import { answerJobs } from '../site/threads.ts';
import { type StagedFile, StagingFolder, type StagingJob } from './staging.ts';

/** Stages the files of a build in a separate thread. */

answerJobs((root: string) => {
  const folder = new StagingFolder(root);
  return (jobs: StagingJob[]) =>
    jobs.map((job) => {
      const file: StagedFile = { digest: '', stamp: '' };
      if ('from' in job) folder.link(job.path, job.from, file, file);
      else if ('piece' in job) folder.append(job.path, job.piece, job.isLast ? file : null);
      else folder.write(job.path, job.content, file);
      return file;
    });
});
