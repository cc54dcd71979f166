/** `npm run bench -- <name>`: runs one benchmark. Each prints its figures as ratios within its own run. */
const benchmarks: Record<string, () => Promise<{ default: (args: string[]) => Promise<void> }>> = {
  build: () => import('./build.ts'),
  dev: () => import('./dev.ts'),
  serve: () => import('./serve.ts'),
  mcp: () => import('./mcp.ts'),
  votes: () => import('./votes.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = benchmarks[name];
if (load === undefined) {
  console.error(`Name a benchmark: ${Object.keys(benchmarks).join(', ')}.`);
  process.exitCode = 2;
} else await (await load()).default(args);
