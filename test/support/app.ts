import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AppParts, createApp } from '../../src/server/app.ts';
import { type BuildFollower, followBuild } from '../../src/server/build-follower.ts';
import { serverLog } from '../../src/server/log.ts';
import { serverSettings } from '../../src/server/settings.ts';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
import { inFolder } from './catalog.ts';
import { builtCatalog } from './server.ts';

interface Parts {
  votes?: object;
  subscribers?: object;
  follower?: (real: BuildFollower) => BuildFollower;
}

interface Here {
  address: string;
  /** The lines of the log, except lines of requests and lines of a later time: level, message, and other fields. */
  logged(): Record<string, unknown>[];
  /** The number of requests in the log. */
  requests(): number;
}

/** A store that never fails and stores nothing. */
export const works = { check: async () => {}, reopen: async () => {}, close: async () => {} };

/** Serves a small build, with the stores and the build of the test. */
export async function withApp(
  { votes = {}, subscribers = {}, follower = (real) => real }: Parts,
  use: (here: Here) => unknown,
) {
  await inFolder(async (folder) => {
    const lines: string[] = [];
    const log = serverLog('info', { write: (line) => lines.push(line), flushSync() {} });
    const real = await followBuild(builtCatalog(folder), siteRules, log.log);
    const app = createApp({
      follower: follower(real),
      votes: { ...works, ...votes },
      subscribers: { ...works, ...subscribers },
      log,
      settings: serverSettings({ voteRate: 'off', subscribeRate: 'off', refusedRate: '1/60' }, {}, folder),
    } as unknown as AppParts);
    const server = createServer(app);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const logged = () =>
      lines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg !== 'request')
        .map(({ time, pid, hostname, request, err, ...rest }) => ({ ...rest, ...(err && { err: err.message }) }));
    try {
      const requests = () => lines.filter((line) => line.includes('"msg":"request"')).length;
      await use({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, logged, requests });
    } finally {
      real.stop();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });
}
