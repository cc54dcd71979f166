import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inFolder, type SmallAgent, writeCatalog } from '../catalog.ts';
import { catalog, type Finished } from '../process.ts';
import { render } from '../render.ts';
import { postalAddress } from './announcing.ts';
import { buttondown, type Service, startService } from './services.ts';

/** A catalog whose site is online, for tests that run `catalog announce` in it. */

export const agents: SmallAgent[] = ['one', 'two', 'three'].map((slug, at) => ({ slug, date: `2026-11-${18 + at}` }));

export interface Online {
  folder: string;
  /** The files of the site, by path. */
  site: Map<string, string>;
  baseUrl: string;
  /** Sends its emails, as Buttondown. */
  service: Service;
  /** Runs the command on the day of the newest agent, in a folder of the catalog. */
  announce(args?: string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
}

/** Runs `use` with a catalog of three agents that is online. */
export async function onlineCatalog(
  use: (place: Online) => Promise<void>,
  settings: object = { postalAddress },
): Promise<void> {
  let site = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname.slice(1);
    const body = site.get(path) ?? site.get(`${path}.html`);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = await startService(buttondown());
  try {
    await inFolder(async (folder) => {
      writeCatalog(folder, agents, { baseUrl, ...settings });
      site = render(folder, { today: '2026-11-20' });
      const env = { CATALOG_SIGNUPS: 'buttondown', CATALOG_SIGNUPS_KEY: 'k3y', CATALOG_SIGNUPS_URL: service.url };
      const announce: Online['announce'] = (args = [], more = {}) =>
        catalog(['announce', '--today', '2026-11-20', ...args], {
          cwd: join(folder, 'agents'),
          env: { ...env, ...more },
        });
      await use({ folder, site, baseUrl, service, announce });
    });
  } finally {
    await service.close();
    await new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  }
}
