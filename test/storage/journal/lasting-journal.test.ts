import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type JournalOptions, openLastingJournal } from '../../../src/storage/journal.ts';
import { type Item, linesIn, rejection, shimDisk, systemError, withFolder } from '../../support/journal.ts';
import { putLock } from '../../support/lock.ts';
import { soon, until, withStillClock } from '../../support/until.ts';

/** The server keeps running whatever its disk does. The journal refuses lines until the disk recovers. */

function open(file: string, rest: Partial<JournalOptions<Item, Item>> = {}) {
  return openLastingJournal<Item, Item>({
    file,
    prepare: (items) => items,
    now: () => new Date(),
    random: randomBytes,
    warn: () => {},
    beatMs: 5,
    patienceMs: 20,
    retryMs: 5,
    ...rest,
  });
}

const changing = ['open', 'mkdir', 'link', 'rename', 'unlink'];

for (const code of ['ENOSPC', 'EROFS', 'EIO', 'EACCES', 'EMFILE', 'ENOENT']) {
  test(`a disk that fails with ${code} at the start refuses lines until it works`, () =>
    withFolder(async (file) => {
      let fails = true;
      const disk = shimDisk(async ({ op, run }) => {
        if (fails && changing.includes(op)) throw systemError(code);
        return run();
      });
      const warnings: string[] = [];
      const journal = await open(file, { disk, warn: (message) => warnings.push(message) });
      for (const refused of [journal.append({ client: 1 }), journal.check(), journal.append({ client: 2 })]) {
        assert.is(((await rejection(refused)) as NodeJS.ErrnoException)?.code, code);
      }
      assert.not(journal.isOpen());
      fails = false;
      await until(journal.isOpen);
      await journal.check();
      await journal.append({ client: 3 });
      await journal.close();
      assert.equal(await linesIn(file), [{ client: 3 }]);
      assert.equal(warnings, [
        `${file} cannot be used (${code}). Nothing can be stored. The server keeps trying.`,
        `${file} is available again.`,
      ]);
    }));
}

test('a file that cannot be opened at the start, although its lock can be made, is opened later', () =>
  withFolder(async (file) => {
    let fails = true;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (fails && op === 'open' && path === file) throw systemError('EACCES');
      return run();
    });
    const journal = await open(file, { disk });
    assert.is(((await rejection(journal.check())) as NodeJS.ErrnoException)?.code, 'EACCES');
    fails = false;
    await until(journal.isOpen);
    await journal.append({ client: 1 });
    await journal.close();
    assert.equal(await linesIn(file), [{ client: 1 }]);
  }));

test('each attempt waits twice as long, up to a minute, and a second after it was open again', () =>
  withFolder(async (file) => {
    let fails = true;
    const waits: number[] = [];
    const disk = shimDisk(async ({ op, run }) => {
      if (fails && changing.includes(op)) throw systemError('EIO');
      return run();
    });
    const wait = async (ms: number) => {
      waits.push(ms);
      if (waits.length === 8) fails = false;
    };
    const journal = await open(file, { disk, wait, retryMs: 1_000 });
    await until(journal.isOpen);
    await putLock(`${file}.other`, { host: 'elsewhere' });
    await fs.rename(`${file}.other.lock`, `${file}.lock`);
    await until(() => waits.length > 8);
    await journal.close();
    assert.equal(waits.slice(0, 9), [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 1_000]);
  }));

test('a hanging disk does not delay the start', () =>
  withFolder(async (file) => {
    let recover = () => {};
    const recovered = new Promise<void>((done) => {
      recover = done;
    });
    const disk = shimDisk(async ({ run }) => recovered.then(run));
    const journal = await soon(open(file, { disk, startMs: 20 }));
    assert.match(String(await rejection(journal.append({ client: 1 }))), 'does not respond');
    recover();
    await until(journal.isOpen);
    await journal.append({ client: 2 });
    await journal.close();
  }));

test('closing waits for a pending opening, which then keeps no lock', () =>
  withFolder(async (file, folder) => {
    let recover = () => {};
    const recovered = new Promise<void>((done) => {
      recover = done;
    });
    const disk = shimDisk(async ({ run }) => recovered.then(run));
    const journal = await soon(open(file, { disk, startMs: 20 }));
    const closing = journal.close();
    recover();
    await soon(closing);
    assert.equal(await fs.readdir(folder), ['log.jsonl']);
  }));

test('a journal that lost its lock refuses lines until the new owner has ended', () =>
  withStillClock((later) =>
    withFolder(async (file) => {
      let [handles, looks] = [0, 0];
      const disk = shimDisk(async ({ op, path, run }) => {
        const result = await run();
        if (op === 'readFile' && path === `${file}.lock`) looks += 1;
        if (path === file) handles += op === 'open' ? 1 : op === 'close' ? -1 : 0;
        return result;
      });
      const journal = await open(file, { disk });
      await journal.append({ client: 1 });
      const lock = `${file}.lock`;
      const other = { ...JSON.parse(await fs.readFile(lock, 'utf8')), token: 'other', host: 'elsewhere' };
      let beats = 0;
      const beat = async () => {
        await fs.writeFile(`${file}.other`, JSON.stringify({ ...other, heartbeat: new Date(beats++).toISOString() }));
        await fs.rename(`${file}.other`, lock);
      };
      await beat();
      await until(() => !journal.isOpen());
      for (let tries = 0; tries < 4; tries += 1) {
        await beat();
        const before = looks;
        await until(() => looks > before + 1);
        assert.match(String(await rejection(journal.append({ client: 2 }))), 'elsewhere');
        assert.match(String(await rejection(journal.check())), 'elsewhere');
      }
      await until(() => {
        later(20);
        return journal.isOpen();
      });
      await journal.append({ client: 3 });
      await journal.close();
      assert.equal(
        (await linesIn(file)).map(({ client }) => client),
        [1, 3],
      );
      assert.equal(await fs.readdir(file.replace(/[^/]*$/, '')), ['log.jsonl']);
      assert.is(handles, 0);
    }),
  ));

test('a mistake at the start is reported', () =>
  withFolder(async (file, folder) => {
    const journal = await open(file);
    assert.is((await rejection(open(file)))?.name, 'OperationError');
    await journal.close();
    await fs.symlink('circle', join(folder, 'circle'));
    for (const [path, code] of [
      [folder, 'EISDIR'],
      [`${file}/log.jsonl`, 'EEXIST'],
      [`${file}/data/log.jsonl`, 'ENOTDIR'],
      [join(folder, 'circle'), 'ELOOP'],
      [join(folder, 'x'.repeat(300)), 'ENAMETOOLONG'],
    ] as const) {
      assert.is(((await soon(rejection(open(path)))) as NodeJS.ErrnoException | undefined)?.code, code, path);
    }
  }));

test('closing succeeds if the folder is no longer a folder', () =>
  withFolder(async (_file, folder) => {
    const data = join(folder, 'data');
    const journal = await open(join(data, 'log.jsonl'));
    await journal.append({ client: 1 });
    await fs.rm(data, { recursive: true });
    await fs.writeFile(data, 'a file in its place');
    await soon(journal.close());
  }));

test('closing stops further attempts', () =>
  withFolder(async (file, folder) => {
    const disk = shimDisk(async ({ op, run }) => {
      if (op === 'open') throw systemError('EIO');
      return run();
    });
    const journal = await open(file, { disk, retryMs: 60_000 });
    await soon(journal.close());
    assert.equal(await fs.readdir(folder), []);
  }));

test.run();
