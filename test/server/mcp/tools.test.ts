import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clientTests, slugs } from '../../support/mcp-clients.ts';

/** The tools, as the official clients of both eras call them. */

const tests = clientTests(suite);

tests.add('lists the tools, each with what it takes, what it gives and what to call next', async (client) => {
  const { tools } = await client.listTools();
  assert.equal(
    tools.map(({ name }) => name),
    ['list_agents', 'search_agents', 'get_agent'],
  );
  for (const { inputSchema, outputSchema, description } of tools) {
    assert.is((inputSchema as { type: string }).type, 'object');
    assert.is((outputSchema as { type: string }).type, 'object');
    assert.match(description ?? '', /search_agents|get_agent/);
  }
});

tests.add('lists agents, newest first, by page and by filter', async (client) => {
  const list = (given: object) => client.callTool({ name: 'list_agents', arguments: given });
  const first = await list({ limit: 2 });
  assert.equal(slugs(first), ['log-reader', 'table-sorter']);
  assert.is(first.structuredContent?.total, 3);
  const next = await list({ limit: 2, cursor: first.structuredContent?.nextCursor });
  assert.equal(slugs(next), ['first-draft']);
  assert.is(next.structuredContent?.nextCursor, undefined);
  assert.equal(slugs(await list({ category: 'writing' })), ['first-draft']);
  assert.equal(slugs(await list({ category: 'Writing', difficulty: '' })), ['first-draft']);
  assert.equal(slugs(await list({ tag: 'letters', runtime: 'chatgpt', difficulty: 'hard' })), ['table-sorter']);
});

tests.add('a filter that nothing fits is answered with what there is', async (client) => {
  const { structuredContent, content, isError } = await client.callTool({
    name: 'list_agents',
    arguments: { category: 'writin' },
  });
  assert.is(isError, undefined);
  assert.equal(structuredContent?.agents, []);
  assert.equal((structuredContent as { tryInstead: { categories: string[] } }).tryInstead.categories, [
    'coding',
    'writing',
  ]);
  assert.match(content[0]?.text ?? '', /did you mean writing\?/);
});

tests.add('searches agents, also by part of a word or with a slip, and by some of many words', async (client) => {
  const search = (query: string) => client.callTool({ name: 'search_agents', arguments: { query } });
  assert.equal(slugs(await search('table sorter')), ['table-sorter']);
  assert.is(slugs(await search('tablle sort'))[0], 'table-sorter');
  // Every word must be found, even a repeated one. Punctuation does not count.
  assert.equal(slugs(await search('Table, sorter: TABLE!')), ['table-sorter']);
  const all = await client.callTool({ name: 'search_agents', arguments: { query: 'letters', limit: 1 } });
  assert.equal([slugs(all).length, all.structuredContent?.total], [1, 2]);
  assert.match(all.content[0]?.text ?? '', 'Showing 1 of 2, best match first.');
  const many = await search('please explain to me why the nightly build failed');
  assert.is(slugs(many)[0], 'log-reader');
  assert.is(many.structuredContent?.matched, 'some words');
  for (const hopeless of ['zzzzzzzz', '', '  ']) {
    const { structuredContent, content, isError } = await search(hopeless);
    assert.is(isError, undefined);
    assert.is(structuredContent?.total, 0);
    assert.match(content[0]?.text ?? '', /categories: coding, writing.*tags: .*letters/s);
  }
});

tests.add('lists agents in short, or in full where that is asked for, with a score in a search', async (client) => {
  const list = await client.callTool({ name: 'list_agents', arguments: { limit: 1 } });
  const listed = {
    slug: 'log-reader',
    title: 'Log Reader',
    category: 'coding',
    difficulty: 'easy',
    date: '2026-01-04',
  };
  const excerpt = 'Finds the first line of a log that tells why a nightly build of the program failed.';
  assert.equal(list.structuredContent?.agents, [{ ...listed, excerpt }]);
  assert.is(list.content[0]?.text.split('\n')[2], `- log-reader: Log Reader. ${excerpt} (coding, easy, 2026-01-04)`);
  const full = await client.callTool({ name: 'list_agents', arguments: { limit: 1, detail: 'full' } });
  const { agents: [agent] = [] } = full.structuredContent as { agents: { url: string }[] };
  assert.is(agent?.url, 'https://press.example/agents/log-reader');
  assert.match(full.content[0]?.text ?? '', 'https://press.example/agents/log-reader');
  const search = await client.callTool({ name: 'search_agents', arguments: { query: 'nightly program log' } });
  assert.equal(search.structuredContent?.agents, [{ ...listed, excerpt, score: 0.87 }]);
  assert.match(search.content[0]?.text ?? '', 'score 0.87)');
});

tests.add(
  'gets the prompt of an agent with where it comes from and how to run it, and the rest on request',
  async (client) => {
    const get = async (include?: string[]) => {
      const { content, structuredContent } = await client.callTool({
        name: 'get_agent',
        arguments: { slug: 'table-sorter', ...(include === undefined ? {} : { include }) },
      });
      assert.is(content.length, 1, 'the data is not repeated as text');
      return { text: content[0]?.text ?? '', data: structuredContent as Record<string, unknown> };
    };
    const { text, data } = await get();
    const always = ['excerpt', 'license', 'more', 'prompt', 'provenance', 'slug', 'title', 'url', 'usage'];
    assert.equal(Object.keys(data).sort(), always);
    assert.match(
      text,
      /^# Table Sorter\n\n> .*\n\n“Table Sorter” .* is contributed text, reviewed on 2026-01-02\. .*no permission to use tools/,
    );
    assert.match(text, /at the end of INPUT, between `<input>` and `<\/input>`\./);
    assert.match(text, `\`\`\`text\n${(data.prompt as string).trimEnd()}\n\`\`\``);
    assert.match(
      text,
      /More with `include`: metadata, problem, steps, howItWorks, demo, sample, install\. .* agent:\/\/table-sorter\.$/,
    );
    assert.not.match(text, '## Steps');

    const some = await get(['steps', 'sample']);
    assert.equal(Object.keys(some.data).sort(), [...always, 'sampleInput', 'sampleOutput', 'steps'].sort());
    assert.equal(some.data.more, ['metadata', 'problem', 'howItWorks', 'demo', 'install']);
    assert.match(some.text, /## Steps\n.*## Sample input\n.*## Sample output\n/s);

    const all = await get(['all']);
    const [{ text: envelope } = { text: '' }] = (await client.readResource({ uri: 'agent://table-sorter' })).contents;
    const { agent } = JSON.parse(envelope) as { agent: Record<string, unknown> };
    for (const field of ['steps', 'demo', 'howItWorks', 'problem', 'tags', 'issue', 'sampleInput', 'prompt']) {
      assert.equal(all.data[field], agent[field], field);
    }
    assert.equal(all.data.more, []);
    assert.not.match(all.text, 'More with');
  },
);

tests.add('says wherever it hands out prompts that they are contributed text', async (client) => {
  assert.match(client.getInstructions() ?? '', /contributed text that was reviewed .* no permission to use tools/);
  const { messages } = await client.getPrompt({ name: 'log-reader' });
  assert.match(
    messages[0]?.content.text ?? '',
    /^“Log Reader” .* is contributed text, reviewed on 2026-01-04\. .* no permission .*\n\n/,
  );
});

tests.add('an agent is found by its former slug; a wrong one is answered with the nearest', async (client) => {
  const get = (slug: string) => client.callTool({ name: 'get_agent', arguments: { slug } });
  const { structuredContent } = await get('sheet-sorter');
  assert.is(structuredContent?.slug, 'table-sorter');
  for (const slug of ['table-sorte', 'Table Sorter', 'sorter']) {
    const { isError, content } = await get(slug);
    assert.is(isError, true, slug);
    assert.match(content[0]?.text ?? '', /Did you mean table-sorter/, slug);
  }
  assert.is((await get('withdrawn-one')).isError, true);
  assert.is((await get('__proto__')).isError, true);
});

tests.add('arguments that break a rule are an error of the tool that says how to fix it', async (client) => {
  const rows: [string, object, RegExp][] = [
    ['list_agents', { limit: 0 }, /`limit` has to be from 1 to 100/],
    ['list_agents', { limit: '5' }, /`limit` has to be a whole number/],
    ['list_agents', { limt: 5 }, /Did you mean `limit`\?/],
    ['list_agents', { cursor: 'x' }, /`cursor`/],
    ['search_agents', {}, /`query` is missing/],
    ['search_agents', { query: 'x'.repeat(201) }, /`query` has to be text of at most 200/],
    ['get_agent', { slug: 7 }, /`slug` has to be text/],
    ['get_agent', { slug: 'log-reader', include: ['step'] }, /Did you mean steps\?/],
    ['get_agent', { slug: 'log-reader', include: 'steps, demo' }, /Write it as a list: \["steps", "demo"\]\./],
  ];
  for (const [name, given, says] of rows) {
    const { isError, content } = await client.callTool({ name, arguments: given });
    assert.is(isError, true, `${name} ${JSON.stringify(given)}`);
    assert.match(content[0]?.text ?? '', says);
  }
});

tests.run();
