import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { renderCatalog } from '../../src/build/build.ts';
import { treeWriter } from '../../src/build/write.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { installTree } from '../../src/site/install/plugins.ts';
import { type SmallAgent, smallAgent, writeCatalog, writeFiles } from './catalog.ts';
import { commitAt, gitSync } from './git.ts';
import { goodPrompt } from './good-agent.ts';

/** The revisions of the prompt of `one`, oldest first. Each has a line that no other has. */
export const revisions = ['Start.', 'Go on.', 'End.'].map((word) =>
  goodPrompt.replace('6. Change', `6. ${word} Change`),
) as [string, string, string];
export const otherPrompt = 'INPUT\nA text.\n\nRULES\n1. Count the words.\n\nOUTPUT\nA number.\n';
export const today = '2026-11-21';

const one = (slug: string, prompt: string, front = {}): SmallAgent => ({
  slug,
  date: '2026-11-10',
  front: { issue: '1', ...front },
  files: { 'prompt.txt': prompt },
});

/** What a site of the catalog in `cwd` serves. */
export function published(cwd: string) {
  const settings = loadSettings(cwd, {}, {});
  return renderCatalog({ cwd, settings, images: false, today });
}

/**
 * Makes the repository of a catalog with the branch `install`: the prompt of `one` was changed twice, and in between it
 * had the name `uno` and got another one, and `gone` was withdrawn.
 */
export function writeRevisions(folder: string): string {
  const [catalog, tree] = [join(folder, 'catalog'), join(folder, 'tree')];
  const commit = (day: string) => commitAt(catalog, `${day}T12:00:00Z`);
  const release = (day: string) => {
    treeWriter(tree)(installTree(published(catalog).site));
    commitAt(tree, `${day}T12:00:00Z`);
  };
  const gone = { slug: 'gone', date: '2026-11-12', front: { issue: '3' } };
  const two = { slug: 'two', date: '2026-11-11', front: { issue: '2' }, files: { 'prompt.txt': otherPrompt } };
  writeCatalog(catalog, [one('uno', revisions[0]), two, gone]);
  gitSync(catalog, 'init', '--quiet', '--initial-branch', 'main');
  commit('2026-11-01');
  gitSync(catalog, 'worktree', 'add', '--quiet', '--detach', tree);
  gitSync(tree, 'checkout', '--quiet', '--orphan', 'install');
  gitSync(tree, 'rm', '--quiet', '-r', '--force', '.');
  writeFiles(join(catalog, 'agents/uno'), smallAgent(one('uno', revisions[1])));
  commit('2026-11-13');
  release('2026-11-13');
  renameSync(join(catalog, 'agents/uno'), join(catalog, 'agents/one'));
  writeFiles(join(catalog, 'agents/one'), smallAgent(one('one', revisions[1], { formerSlugs: '[uno]' })));
  commit('2026-11-14');
  release('2026-11-14');
  writeFiles(join(catalog, 'agents/one'), smallAgent(one('one', revisions[2], { formerSlugs: '[uno]' })));
  writeFiles(
    join(catalog, 'agents/gone'),
    smallAgent({ ...gone, front: { ...gone.front, withdrawn: 'It was wrong.' } }),
  );
  commit('2026-11-15');
  release('2026-11-15');
  return catalog;
}

/** A site on this machine. It answers from `special`, or else with files. */
export async function serveFiles(files: ReadonlyMap<string, Buffer>, special: Record<string, RequestListener> = {}) {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    const answer = special[path] ?? (() => response.writeHead(files.has(path) ? 200 : 404).end(files.get(path)));
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
