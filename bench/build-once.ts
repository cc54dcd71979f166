/** One measured run, in a process of its own: `copy` reads and writes only, `build` builds. Prints JSON. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, renderCatalog } from '../src/build/build.ts';
import { cacheFolder } from '../src/cache-folder.ts';
import { readAgents } from '../src/catalog/read.ts';
import { loadSettings } from '../src/catalog/settings.ts';

export interface Measured {
  /** Milliseconds by stage; rendering is summed up by output. */
  stages: Record<string, number>;
  total: number;
  files: number;
  bytes: number;
  peakBytes: number;
}

const [what, folder = '', out = ''] = process.argv.slice(2);
const cwd = join(folder, 'catalog');
const settings = loadSettings(cwd, {}, {});
const today = '2026-11-21';
const cache = cacheFolder(process.env);
const stages: Record<string, number> = {};
let files = 0;
let bytes = 0;
let total = 0;

if (what === 'build') {
  let last = performance.now();
  let stage = '';
  const begun = last;
  const onStage = (next: string) => {
    const now = performance.now();
    if (stage !== '') stages[stage] = (stages[stage] ?? 0) + now - last;
    [stage, last] = [next, now];
  };
  const { info } = build({ cwd, out, settings, cache, today, onStage });
  onStage('');
  total = performance.now() - begun;
  files = info.counts.files;
} else {
  const rendered = renderCatalog({ cwd, settings, cache, today }).rendered.files;
  const begun = performance.now();
  readAgents(cwd);
  for (const [path, content] of rendered) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), content);
    bytes += content.length;
  }
  total = performance.now() - begun;
  files = rendered.size;
}
const measured: Measured = { stages, total, files, bytes, peakBytes: process.resourceUsage().maxRSS * 1024 };
process.stdout.write(JSON.stringify(measured));
