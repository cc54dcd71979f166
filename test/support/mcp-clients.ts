import type { Test } from 'uvu';
import { temporaryFolder } from './catalog.ts';
import { loud } from './loud.ts';
import { type AnyClient, agents, connect, mcpCatalog, type ToolAnswer } from './mcp.ts';
import { builtCatalog, type ServerHere, startRuntime } from './server.ts';

/** What an official client begins with: `server/discover`, or a handshake. */
type Era = 'modern' | 'handshake';
type Transport = 'http' | 'stdio';

type Check = (client: AnyClient, era: Era, transport: Transport) => void | Promise<void>;

/** The tests of all four clients. */
export interface ClientTests {
  /** Adds a test for each client. */
  add(name: string, check: Check): void;
  run(): void;
}

/**
 * Makes a suite for each official client, of both eras, over HTTP and over the streams of stdio: each has a server, or a
 * catalog, of its own.
 */
export function clientTests(suite: (name: string) => Test): ClientTests {
  const clients = (['modern', 'handshake'] as const).flatMap((era) =>
    (['http', 'stdio'] as const).map((transport) => oneClient(suite, era, transport)),
  );
  return {
    add(name, check) {
      for (const { test, era, transport, client } of clients) test(name, async () => check(client(), era, transport));
    },
    run() {
      for (const { test } of clients) test.run();
    },
  };
}

function oneClient(suite: (name: string) => Test, era: Era, transport: Transport) {
  const test = suite(`an MCP client, ${era}, ${transport}`);
  const folder = temporaryFolder();
  let server: ServerHere | undefined;
  let client: AnyClient;

  test.before(
    loud(async () => {
      const dist = builtCatalog(folder.path, agents);
      if (transport === 'http') server = await startRuntime(folder.path);
      const door = server === undefined ? { catalog: await mcpCatalog(dist) } : { url: `${server.address}api/mcp` };
      client = await connect(era, door);
    }),
  );
  test.after(
    loud(async () => {
      await client?.close();
      await server?.stop();
      folder.remove();
    }),
  );
  return { test, era, transport, client: () => client };
}

/** The slugs of the agents that a tool answers with. */
export function slugs({ structuredContent }: ToolAnswer): string[] {
  return (structuredContent as { agents: { slug: string }[] }).agents.map(({ slug }) => slug);
}
