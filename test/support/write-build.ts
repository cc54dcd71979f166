import { BuildWriter } from '../../src/build/write.ts';

/** Puts files into the folder `out`, as a build does; build.json has to be the last of them. */
export function writeBuild(out: string, files: ReadonlyMap<string, Uint8Array>) {
  const writer = new BuildWriter(out);
  try {
    for (const [path, bytes] of files) writer.write(path, [], bytes);
    return writer.finish();
  } finally {
    writer.discard();
  }
}
