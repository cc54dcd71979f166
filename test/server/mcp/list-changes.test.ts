import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { McpCatalog } from '../../../src/server/mcp/catalog.ts';
import { ListChanges } from '../../../src/server/mcp/stdio.ts';
import { temporaryFolder } from '../../support/catalog.ts';
import { goodPrompt } from '../../support/good-agent.ts';
import { loud } from '../../support/loud.ts';
import { agents, connect, mcpCatalog, stdioHere } from '../../support/mcp.ts';
import { builtCatalog } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** An assistant that stays connected over stdio is told about tomorrow's agent, and gets it. */

const folder = temporaryFolder();
let [today, tomorrow, reworded, asking] = [] as unknown as [McpCatalog, McpCatalog, McpCatalog, McpCatalog];
test.before(
  loud(async () => {
    const of = (name: string, some: typeof agents) => mcpCatalog(builtCatalog(join(folder.path, name), some));
    today = await of('today', agents.slice(0, 2));
    tomorrow = await of('tomorrow', agents);
    const rewording = { ...agents[0], files: { 'sample-output.txt': 'Another.\n' } } as (typeof agents)[0];
    reworded = await of('reworded', [rewording, ...agents.slice(1, 2)]);
    const prompt = goodPrompt.replaceAll('NOTES', 'EMAILS');
    asking = await of('asking', [{ ...rewording, files: { 'prompt.txt': prompt } }, ...agents.slice(1, 2)]);
  }),
);
test.after(() => folder.remove());

for (const era of ['modern', 'handshake'] as const) {
  test(`a client, ${era}, is told once which lists changed, and then gets the new agent`, async () => {
    let current = today;
    const told: string[] = [];
    const client = await connect(era, { catalog: () => current }, (list) => told.push(list));
    try {
      const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
      assert.equal([tools, prompts, resources], Array(3).fill({ listChanged: true }));
      const names = async () => (await client.listPrompts()).prompts.map(({ name }) => name);
      assert.equal(await names(), ['table-sorter', 'first-draft']);
      current = tomorrow;
      await until(() => told.length >= 3);
      assert.equal(await names(), ['log-reader', 'table-sorter', 'first-draft']);
      assert.equal(told.sort(), ['prompts', 'resources', 'tools']);
      const { structuredContent } = await client.callTool({ name: 'get_agent', arguments: { slug: 'log-reader' } });
      assert.is(structuredContent?.title, 'Log Reader');
    } finally {
      await client.close();
    }
  });
}

/** A connection to which messages can be written, and the messages that it got. */
function wire() {
  let [current, looks] = [today, 0];
  const { input, output } = stdioHere(() => {
    looks += 1;
    return current;
  });
  let text = '';
  output.on('data', (bytes) => {
    text += bytes;
  });
  const messages = () =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    messages,
    async send(method: string, params: object = {}, id?: unknown): Promise<object> {
      const before = messages().length;
      input.write(`${JSON.stringify({ jsonrpc: '2.0', method, params, id })}\n`);
      if (id !== undefined) await until(() => messages().length > before);
      return messages()[before];
    },
    switchTo(catalog: McpCatalog) {
      current = catalog;
    },
    /** Waits until the server has seen the current catalog, and has sent what follows from it. */
    async looked() {
      const before = looks;
      await until(() => looks > before + 2);
    },
    /** Ends the connection. Everything that was to be sent has been sent by then. */
    async end() {
      input.end();
      await once(output, 'end');
    },
  };
}

const prefix = 'io.modelcontextprotocol/';
const _meta = { [`${prefix}protocolVersion`]: '2026-07-28', [`${prefix}clientCapabilities`]: {} };
const subscription = (id: unknown) => ({ _meta: { [`${prefix}subscriptionId`]: id } });
const listChanged = (list: string, id: unknown) => ({
  jsonrpc: '2.0',
  method: `notifications/${list}/list_changed`,
  params: subscription(id),
});

test('subscriptions get only what they asked for, until they are canceled', async () => {
  const { send, messages, switchTo, end } = wire();
  const wanted = { promptsListChanged: true, toolsListChanged: false, resourceSubscriptions: ['agent://catalog'] };
  assert.equal(await send('subscriptions/listen', { _meta, notifications: wanted }, 'a'), {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { promptsListChanged: true }, ...subscription('a') },
  });
  await send('subscriptions/listen', { _meta, notifications: { resourcesListChanged: true } }, 2);
  switchTo(tomorrow);
  await until(() => messages().length === 4);
  assert.equal(messages().slice(2), [listChanged('prompts', 'a'), listChanged('resources', 2)]);
  await send('notifications/cancelled', { requestId: 'a' });
  await send('ping', {}, 3);
  switchTo(today);
  await until(() => messages().length === 6);
  assert.equal(messages()[5], listChanged('resources', 2));
  await end();
});

test('nothing is sent before a handshake is complete, or if no list changed', async () => {
  const { send, messages, switchTo, looked, end } = wire();
  await send('initialize', { protocolVersion: '2025-11-25' }, 1);
  switchTo(tomorrow);
  await looked();
  assert.is(messages().length, 1);
  await send('notifications/initialized');
  switchTo(today);
  await until(() => messages().length === 4);
  switchTo(reworded);
  await looked();
  assert.is(messages().length, 4);
  await end();
});

test('a client is told that a prompt has another argument, since the server refuses the former one', async () => {
  const { send, messages, switchTo, end } = wire();
  await send('notifications/initialized');
  const namesOf = async (id: number) => {
    const { result } = (await send('prompts/list', {}, id)) as {
      result: { prompts: { arguments: { name: string }[] }[] };
    };
    return result.prompts[1]?.arguments.map(({ name }) => name);
  };
  assert.equal(await namesOf(1), ['ROWS', 'NOTES', 'input']);
  switchTo(asking);
  await until(() => messages().length === 4);
  assert.ok(messages().some(({ method }) => method === 'notifications/prompts/list_changed'));
  assert.equal(await namesOf(2), ['ROWS', 'EMAILS', 'input']);
  await end();
});

test('an assistant that starts the server does not have it read all prompts, which takes half a second with 1,000 agents', async () => {
  let read = 0;
  const counted = (catalog: McpCatalog): McpCatalog => ({
    ...catalog,
    prompt(slug) {
      read += 1;
      return catalog.prompt(slug);
    },
  });
  const changes = new ListChanges(counted(today));
  changes.answer({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.is((await changes.of(counted(asking))).length, 3);
  assert.is(read, 0);
});

test('another card is a change too, since it is in the descriptions of the lists', async () => {
  const changes = new ListChanges(today);
  changes.answer({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal(await changes.of({ ...today }), []);
  assert.is((await changes.of({ ...today, card: { ...today.card, title: 'Another Title' } })).length, 3);
});

/** Rows of: the params of subscriptions/listen, and the answer. */
const refused: [params: object, code: number, message: string][] = [
  [
    { _meta },
    -32602,
    '`notifications` has to be an object with `toolsListChanged`, `promptsListChanged`, `resourcesListChanged`, or some of them.',
  ],
  [{ _meta, notifications: { toolsListChanged: 'yes' } }, -32602, '`notifications` has to be an object with'],
  [{ _meta: { [`${prefix}protocolVersion`]: '2026-07-28' }, notifications: {} }, -32602, 'clientCapabilities'],
  [{ _meta: { ..._meta, [`${prefix}protocolVersion`]: '2027-01-01' }, notifications: {} }, -32022, '2027-01-01'],
  [{ notifications: {} }, -32601, 'This method does not exist.'],
];
for (const [params, code, message] of refused) {
  test(`subscriptions/listen is refused: ${JSON.stringify(params)}`, async () => {
    const { send, end } = wire();
    const { id, error } = (await send('subscriptions/listen', params, 7)) as {
      id: number;
      error: Error & { code: number };
    };
    assert.equal([id, error.code], [7, code]);
    assert.match(error.message, message);
    await end();
  });
}

test('a client cannot take up memory with subscriptions', async () => {
  const { send, messages, end } = wire();
  for (let id = 0; id < 100; id += 1) await send('subscriptions/listen', { _meta, notifications: {} }, id);
  assert.not.ok(messages().some(({ error }) => error));
  assert.match(
    JSON.stringify(await send('subscriptions/listen', { _meta, notifications: {} }, 100)),
    'at most 100 subscriptions',
  );
  await end();
});

test.run();
