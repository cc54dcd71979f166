import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { moduleTests } from './module-tests.ts';
import { type Mutant, makeSandbox, type Sandbox } from './sandbox.ts';
import { Worker } from './worker-process.ts';

/**
 * `npm run mutate -- src/<folder> [part of a path]` changes the code of a folder in one small way at a time and says which
 * changes the folder's tests do not notice.
 *
 * Each test file gets a process, in which the active mutant is switched and only the tests that reach it are run. That
 * says nothing of code that runs on import, in a hook, or once for several tests. A survivor is therefore run again, with
 * the files where that may be so, in new processes that have the mutant from the start.
 */

const processes = 2;
const patience = (milliseconds: number) => 10_000 + 5 * milliseconds;

/** A test file: what its tests reach without a mutant. */
interface TestFile {
  name: string;
  milliseconds: number;
  outside: Set<string>;
  inside: Map<string, string[]>;
  /** The mutants that were not reached again when they were active, since a test or module keeps what it made. */
  kept: Set<string>;
}

/** Returns the exit code: 0 when every mutant is noticed. */
export async function mutateSource(root: string, folder: string, part: string): Promise<number> {
  const tests = moduleTests[basename(folder)];
  if (tests === undefined || !existsSync(join(root, folder))) {
    console.error(`No tests are named for ${folder}. Add it to scripts/mutation/module-tests.ts.`);
    return 2;
  }
  const begun = performance.now();
  const sandbox = await makeSandbox(root, folder);
  try {
    const mutants = sandbox.mutants.filter(({ file }) => file.includes(part));
    const ids = new Set(mutants.map(({ id }) => id));
    const files = await coverageOf(sandbox, tests, ids);
    const killed = new Set<string>();
    const progress = (what: string) =>
      console.error(`${what}: ${killed.size} of ${mutants.length} noticed, ${seconds(begun)} s`);
    progress('Without mutants');
    await share([...files], async (file, index) => {
      await switchMutants(sandbox, file, `${index}`, killed);
      progress(file.name);
    });
    const rest = mutants.filter(({ id }) => !killed.has(id) && files.some((file) => needsStart(file, id)));
    let done = 0;
    await share(rest, async ({ id }) => {
      if (await isNoticed(sandbox, files, id)) killed.add(id);
      done += 1;
      if (done % 100 === 0) progress(`${done} of ${rest.length} from the start`);
    });
    report(folder, mutants, killed, (id) => files.some((file) => reaches(file, id)));
    console.log(`${seconds(begun)} s`);
    return killed.size === mutants.length ? 0 : 1;
  } finally {
    sandbox.remove();
  }
}

const seconds = (begun: number) => Math.round((performance.now() - begun) / 1000);

const reaches = ({ outside, inside }: TestFile, id: string) => outside.has(id) || inside.has(id);

/** Whether only a process that has the mutant from the start can say that the tests of the file miss it. */
const needsStart = ({ outside, kept }: TestFile, id: string) => outside.has(id) || kept.has(id);

/** Does the work for all, a few at a time. */
async function share<Item>(items: Item[], work: (item: Item, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async () => {
    while (next < items.length) {
      const index = next++;
      await work(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: processes }, loop));
}

/** Runs each test file once, without a mutant; the quickest comes first in the result. */
async function coverageOf(sandbox: Sandbox, names: readonly string[], ids: Set<string>): Promise<TestFile[]> {
  const files: TestFile[] = [];
  await share([...names], async (name, index) => {
    const worker = new Worker(sandbox, name, `first-${index}`);
    try {
      if (!(await worker.ready(60_000))) throw new Error(`${name} cannot be imported`);
      const outcome = await worker.run({ mutant: undefined, tests: undefined }, 600_000);
      if (typeof outcome === 'string' || outcome.failed !== undefined) {
        throw new Error(`${name} fails without a mutant: ${typeof outcome === 'string' ? outcome : outcome.failed}`);
      }
      const inside = new Map<string, string[]>();
      for (const [test, reached] of Object.entries(outcome.inside)) {
        for (const id of reached) if (ids.has(id)) inside.set(id, [...(inside.get(id) ?? []), test]);
      }
      const outside = new Set(outcome.outside.filter((id) => ids.has(id)));
      files.push({ name, milliseconds: outcome.milliseconds, outside, inside, kept: new Set() });
    } finally {
      await worker.stop();
    }
  });
  return files.sort((a, b) => a.milliseconds - b.milliseconds);
}

/** Runs the tests of a file that reach a mutant with it, for all mutants not yet noticed, in as few processes as it goes. */
async function switchMutants(sandbox: Sandbox, file: TestFile, name: string, killed: Set<string>): Promise<void> {
  let worker: Worker | undefined;
  /** A process in which all tests have passed without a mutant. */
  const started = async () => {
    const fresh = new Worker(sandbox, file.name, name);
    const isReady = await fresh.ready(60_000);
    const outcome = isReady ? await fresh.run({ mutant: undefined, tests: undefined }, 600_000) : 'crash';
    if (typeof outcome !== 'string' && outcome.failed === undefined) return fresh;
    await fresh.stop();
    return undefined;
  };
  for (const [mutant, tests] of file.inside) {
    if (killed.has(mutant)) continue;
    worker ??= await started();
    if (worker === undefined) {
      // The file cannot be run twice in one process.
      file.kept.add(mutant);
      continue;
    }
    const outcome = await worker.run({ mutant, tests }, patience(file.milliseconds));
    if (outcome === 'timeout') killed.add(mutant);
    if (typeof outcome === 'string') {
      worker = undefined;
      file.kept.add(mutant);
    } else if (outcome.failed !== undefined) {
      // Without the mutant the test must pass again: otherwise the process is spoiled, by this mutant or one before it.
      const again = await worker.run({ mutant: undefined, tests: [outcome.failed] }, patience(file.milliseconds));
      if (typeof again !== 'string' && again.failed === undefined) killed.add(mutant);
      else {
        file.kept.add(mutant);
        await worker.stop();
        worker = undefined;
      }
    } else if (outcome.hits === 0) {
      file.kept.add(mutant);
    }
  }
  await worker?.stop();
}

/** Whether a test fails in a process that has the mutant from the start. */
async function isNoticed(sandbox: Sandbox, files: readonly TestFile[], mutant: string): Promise<boolean> {
  for (const file of files.filter((candidate) => needsStart(candidate, mutant))) {
    const worker = new Worker(sandbox, file.name, `start-${mutant}`, mutant);
    try {
      if (!(await worker.ready(20_000))) return true;
      const tests = file.outside.has(mutant) ? undefined : file.inside.get(mutant);
      const outcome = await worker.run({ mutant, tests }, patience(file.milliseconds));
      if (typeof outcome === 'string' || outcome.failed !== undefined) return true;
    } finally {
      await worker.stop();
    }
  }
  return false;
}

function report(folder: string, mutants: Mutant[], killed: Set<string>, isReached: (id: string) => boolean): void {
  const row = (name: string, own: Mutant[]) => {
    const noticed = own.filter(({ id }) => killed.has(id)).length;
    const score = own.length === 0 ? 100 : (100 * noticed) / own.length;
    console.log(`${name.padEnd(40)} ${`${noticed}/${own.length}`.padStart(10)} ${score.toFixed(1).padStart(6)} %`);
  };
  for (const { id, file, line, change } of mutants) {
    if (!killed.has(id)) console.log(`${file}:${line}  ${change}${isReached(id) ? '' : '  (no test reaches it)'}`);
  }
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    row(
      file,
      mutants.filter((mutant) => mutant.file === file),
    );
  }
  row(folder, mutants);
}
