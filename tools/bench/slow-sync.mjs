/** Preloaded into a server: no fdatasync takes less than SLOW_SYNC_MS, as on an ordinary disk. */
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const handle = await open(process.execPath);
const prototype = Object.getPrototypeOf(handle);
await handle.close();
const { datasync } = prototype;
prototype.datasync = async function slow() {
  await Promise.all([datasync.call(this), delay(Number(process.env.SLOW_SYNC_MS))]);
};
