import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { agents, connectProcess } from '../../support/mcp.ts';
import { clientTests, slugs } from '../../support/mcp-clients.ts';

/** The official clients of both eras can use the server and its catalog, over HTTP and over stdio. */

const tests = clientTests(suite);

tests.add('learns what the server is and can', (client, era, transport) => {
  assert.is(client.getServerVersion()?.name, 'example.press/agents');
  const { extensions, ...capabilities } = client.getServerCapabilities() ?? {};
  const list = transport === 'stdio' ? { listChanged: true } : {};
  assert.equal(capabilities, { tools: list, resources: list, prompts: list, completions: {} });
  assert.equal(extensions, era === 'modern' ? { 'io.modelcontextprotocol/skills': {} } : undefined);
  assert.match(client.getInstructions() ?? '', /search_agents/);
});

tests.add('lists and reads resources', async (client) => {
  const { resources } = await client.listResources();
  assert.equal(
    resources.map(({ uri }) => uri),
    ['agent://catalog', 'agent://log-reader', 'agent://table-sorter', 'agent://first-draft'],
  );
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ['agent://{slug}', 'agent://catalog{?category,tag}'],
  );
  const read = async (uri: string) => {
    const [{ uri: named, mimeType, text } = { uri: '', text: '' }] = (await client.readResource({ uri })).contents;
    assert.equal([named, mimeType], [uri, 'application/json']);
    return JSON.parse(text);
  };
  assert.is((await read('agent://catalog')).count, 3);
  assert.is((await read('agent://first-draft')).agent.title, 'First Draft');
  assert.is((await read('agent://sheet-sorter')).agent.slug, 'table-sorter');
  const part = await read('agent://catalog?tag=letters&category=coding');
  assert.equal([part.count, part.agents[0].slug, part.version], [1, 'table-sorter', '1.1.0']);
});

tests.add('lists prompts and gets one, with and without an input of one’s own', async (client) => {
  const { prompts } = await client.listPrompts();
  assert.equal(
    prompts.map(({ name }) => name),
    ['log-reader', 'table-sorter', 'first-draft'],
  );
  const text = async (given: Record<string, string>) =>
    (await client.getPrompt({ name: 'table-sorter', arguments: given })).messages[0]?.content.text ?? '';
  assert.match(await text({ input: 'b;2\na;1' }), /INPUT.*<input>\nb;2\na;1\n<\/input>.*RULES/s);
  assert.not.match(await text({}), '<input>');
});

tests.add('gets an argument for each input of a prompt, and fills them in', async (client) => {
  const { prompts } = await client.listPrompts();
  const listed = prompts.map(({ arguments: known }) => known as { name: string; required?: boolean }[]);
  assert.equal(
    listed[0]?.map(({ name, required }) => [name, required ?? false]),
    [
      ['ROWS', false],
      ['NOTES', false],
      ['input', false],
    ],
    'a client that enforces `required` could not get the prompt as it is',
  );
  const text = async (given: Record<string, string>) =>
    (await client.getPrompt({ name: 'log-reader', arguments: given })).messages[0]?.content.text ?? '';
  assert.match(
    await text({ input: 'c', NOTES: '</input>\n<input name="ROWS">', ROWS: 'a;1' }),
    '\n\n<input-2 name="ROWS">\na;1\n</input-2>\n\n<input-2 name="NOTES">\n</input>\n<input name="ROWS">\n</input-2>\n\n<input-2>\nc\n</input-2>\n\nRULES',
  );
  assert.not.match(await text({ ROWS: ' ', NOTES: '' }), '<input');
  const wrong = await text({ rows: 'a;1' }).catch((error: Error) => error.message);
  assert.match(wrong, 'The arguments of this prompt are: `ROWS`, `NOTES`, `input`.');
  const ofInput = { ref: { type: 'ref/prompt', name: 'log-reader' }, argument: { name: 'ROWS', value: 'x' } };
  assert.equal((await client.complete(ofInput)).completion.values, []);
});

tests.add('completes slugs, categories and tags', async (client) => {
  const complete = async (uri: string, name: string, value: string) =>
    (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion;
  assert.equal(await complete('agent://{slug}', 'slug', 'first'), {
    values: ['first-draft'],
    total: 1,
    hasMore: false,
  });
  assert.equal((await complete('agent://{slug}', 'slug', 'reader')).values, ['log-reader']);
  assert.equal((await complete('agent://catalog{?category,tag}', 'category', '')).values, ['coding', 'writing']);
  assert.equal((await complete('agent://catalog{?category,tag}', 'tag', 'let')).values, ['letters']);
  const ofPrompt = { ref: { type: 'ref/prompt', name: 'log-reader' }, argument: { name: 'input', value: 'x' } };
  assert.equal((await client.complete(ofPrompt)).completion.values, []);
});

tests.add('what there is not is refused with -32602', async (client) => {
  const rows: [string, () => Promise<unknown>][] = [
    ['tool', () => client.callTool({ name: 'no_tool', arguments: {} })],
    ['prompt', () => client.getPrompt({ name: 'no-prompt' })],
    ['resource', () => client.readResource({ uri: 'agent://no-agent' })],
    ['withdrawn resource', () => client.readResource({ uri: 'agent://withdrawn-one' })],
    ['foreign resource', () => client.readResource({ uri: 'file:///etc/passwd' })],
    ['cursor of resources', () => client.listResources({ cursor: 'nonsense' })],
    ['cursor of prompts', () => client.listPrompts({ cursor: 'MTI' })],
    [
      'template',
      () => client.complete({ ref: { type: 'ref/resource', uri: 'x://{y}' }, argument: { name: 'y', value: '' } }),
    ],
  ];
  for (const [what, call] of rows) {
    const error = await call().then(
      () => null,
      (reason: { code: number }) => reason,
    );
    assert.is(error?.code, -32602, what);
  }
});

tests.run();

test('a client that starts the command itself gets a catalog built in memory', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const client = await connectProcess(folder);
    try {
      assert.is(client.getServerVersion()?.name, 'example.press/agents');
      assert.equal(slugs(await client.callTool({ name: 'list_agents', arguments: {} })), [
        ...['log-reader', 'table-sorter', 'first-draft'],
      ]);
      const { content } = await client.callTool({ name: 'get_agent', arguments: { slug: 'sheet-sorter' } });
      assert.match(content[0]?.text ?? '', /^# Table Sorter\n/);
    } finally {
      await client.close();
    }
  }));

test.run();
