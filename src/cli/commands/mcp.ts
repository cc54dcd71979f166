import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { McpCatalog } from '../../server/mcp/catalog.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type CommonFlags, openCatalog, outFolder } from '../options.ts';

export function addMcp(program: CatalogCommand, terminal: Console): void {
  program
    .command('mcp')
    .description('serve the catalog to an assistant over stdio (MCP)')
    .share('cwd', 'out', 'today', 'baseUrl', 'runtimeUrl')
    .explain(
      '\nAssistants start this command. It serves the build in --out and switches to each new one. Without a build, it builds\n' +
        'the catalog in memory, and again each day and after each commit or pull. Assistants are told when the list of agents\n' +
        'changes. It exits when stdin closes.\n' +
        '\nExamples:\n  $ claude mcp add agents -- npx --no --prefix /path/to/catalog daily-agent-catalog mcp --cwd /path/to/catalog\n  $ catalog mcp --out /var/lib/catalog/dist\n',
    )
    .action((flags: CommonFlags) => serveMcp(flags, terminal));
}

async function serveMcp(flags: CommonFlags, terminal: Console): Promise<void> {
  const { serveStdio } = await import('../../server/mcp/stdio.ts');
  const { buildFile } = await import('../../schema/documents.ts');
  const dist = outFolder(flags);
  const source = existsSync(join(dist, buildFile)) ? await follow(dist) : await inMemory(flags, terminal);
  terminal.say(`Serving the catalog over stdio from ${source.name}\n`);
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => process.stdin.destroy());
  process.stdin.on('error', () => {});
  const ended = new Promise<void>((done) => process.stdin.once('close', done));
  await Promise.race([
    ended,
    serveStdio({
      input: process.stdin,
      write: (line) => new Promise((done) => process.stdout.write(line, () => done())),
      catalog: source.catalog,
      onBug: (error) => terminal.say(`${error instanceof Error ? error.stack : String(error)}\n`),
    }),
  ]);
}

/** Where the current catalog comes from. */
interface Source {
  name: string;
  catalog(): Promise<McpCatalog>;
}

/** Reads the build in a folder, and follows it when a new build replaces it. */
async function follow(dist: string): Promise<Source> {
  const { followBuild } = await import('../../server/build-follower.ts');
  const { siteRules } = await import('../../site/hosting/site-rules.ts');
  const { default: pino } = await import('pino');
  // stdout is only for messages of the protocol.
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const follower = await followBuild(dist, siteRules, log);
  return { name: dist, catalog: async () => follower.current().mcp };
}

/**
 * Builds the published agents in memory, and builds them again each day and when a commit is fetched or made, since an
 * assistant may run for weeks.
 */
async function inMemory(flags: CommonFlags, terminal: Console): Promise<Source> {
  const { renderCatalog } = await import('../../build/build.ts');
  const { loadMcpCatalog } = await import('../../server/mcp/catalog.ts');
  const { gitStamp } = await import('../../lib/git.ts');
  const { zone } = await import('../../lib/calendar.ts');
  const buildOf = async (git: string | null) => {
    const { cwd, settings, today } = await openCatalog(flags);
    const { files, info } = renderCatalog({ cwd, settings, today, images: false }).rendered;
    const catalog = await loadMcpCatalog(async (path) => files.get(path) ?? null, info.moved);
    return { day: today, git, calendar: zone(settings.timezone), catalog };
  };
  let built = await buildOf(gitStamp(flags.cwd));
  let building: Promise<void> | null = null;
  const buildAgain = async (day: string, git: string | null) => {
    try {
      built = await buildOf(git);
    } catch (error) {
      terminal.say(`Cannot build the catalog for ${day}; still serving the one for ${built.day}. ${error}\n`);
      built = { ...built, day, git };
    }
  };
  return {
    name: `a build in memory, because ${outFolder(flags)} has none`,
    async catalog() {
      const day = flags.today ?? built.calendar.today(new Date());
      // Right after a change, and outside of a repository, the stamp is unknown.
      const git = gitStamp(flags.cwd) ?? built.git;
      if (day !== built.day || git !== built.git) {
        building ??= buildAgain(day, git).finally(() => {
          building = null;
        });
      }
      await building;
      return built.catalog;
    },
  };
}
