import { answerJobs } from '../site/threads.ts';
import { type StagedFile, StagingFolder, type StagingJob } from './staging.ts';

/** Stages the files of a build in a separate thread. */

answerJobs((root: string) => {
  const folder = new StagingFolder(root);
  return ({ bytes, files }: StagingJob) => {
    let start = 0;
    return files.map(({ path, end, from }) => {
      const file: StagedFile = { digest: '', stamp: '' };
      if (from !== undefined) folder.link(path, from, file, file);
      else folder.write(path, bytes.subarray(start, end), file);
      start = end;
      return file;
    });
  };
});
