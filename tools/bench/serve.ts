import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from '../../src/build/build.ts';
import { loadSettings } from '../../src/content/settings.ts';
import type { Extent } from './contest.ts';
import { generateCatalog } from './generate.ts';
import { benchmarkReads } from './serve-reads.ts';
import { benchmarkVotes } from './serve-votes.ts';
import { isPinned, type Server, startGenerator } from './servers.ts';

const document = '/api/agents/agent-00001.json';
const documentBytes = 6 * 1024;

const whole: Extent = { rounds: 5, readSeconds: 1, voteMs: 800, warmMs: 1_000 };
const quick: Extent = { rounds: 2, readSeconds: 1, voteMs: 400, warmMs: 400 };

/**
 * Measures what the runtime serves and stores against what else could do the same, on this machine and in this run.
 * Every figure is the median of interleaved rounds; only the ratios mean something elsewhere. `--quick` measures less.
 */
export default async function benchmarkServe(args: string[]): Promise<void> {
  const extent = args.includes('--quick') ? quick : whole;
  const compiled = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  });
  if (compiled.status !== 0) throw new Error(compiled.stdout + compiled.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
  const generator = startGenerator();
  const servers: Record<string, Server> = {};
  try {
    const dist = join(folder, 'dist');
    makeSite(folder, dist);
    console.log(
      `Node ${process.version}; ${isPinned ? 'servers on one core, load on another' : 'not pinned to cores'}`,
    );
    const contest = { folder, dist, document, extent, generator, servers };
    await benchmarkReads(contest);
    await benchmarkVotes(contest);
  } finally {
    await Promise.all([...Object.values(servers), generator].map((process) => process.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds a catalog whose first agent has a document of about `documentBytes`, with the compressed file that sirv looks for. */
function makeSite(folder: string, dist: string): void {
  const cwd = join(folder, 'catalog');
  generateCatalog(cwd, 10, new URL('../../catalog.config.json', import.meta.url));
  const settings = loadSettings(cwd, { baseUrl: 'http://localhost' }, {});
  const render = () => {
    build({ cwd, out: dist, settings, today: '2026-11-21' });
    return readFileSync(join(dist, document));
  };
  const source = join(cwd, 'agents/agent-00001/agent.md');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, `${text.slice(0, text.length - (render().length - documentBytes)).trimEnd()}\n`);
  const bytes = render();
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  writeFileSync(join(dist, `${document}.br`), brotliCompressSync(bytes, { params }));
}
