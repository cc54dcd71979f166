import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { proofMarkdown } from '../../../src/server/mcp/tools.ts';
import { inFolder } from '../../support/catalog.ts';
import { askTool, loadBuild } from '../../support/mcp-answers.ts';
import { renderRichCatalog, writeRichCatalog } from '../../support/rich-catalog.ts';

/** What authors wrote stays in its section of the answer of get_agent. */

const files = await inFolder((folder) => {
  writeRichCatalog(folder);
  return renderRichCatalog(folder);
});

test('get_agent gives how an agent works as a section, with absolute links, and its source as data', async () => {
  const howItWorks = 'See [two](/agents/two).\n\nWhy\n---\n\n~~~\n# code';
  const path = 'api/agents/rich.json';
  const envelope = JSON.parse(String(files.get(path)));
  envelope.agent.howItWorks = howItWorks;
  const { catalog } = await loadBuild(new Map([...files, [path, Buffer.from(JSON.stringify(envelope))]]), []);
  const { result } = await askTool(catalog, 'get_agent', { slug: 'rich', include: ['howItWorks', 'demo'] });
  const two = envelope.agent.url.replace(/rich$/, 'two');
  assert.match(
    result.content[0].text,
    `\n\n## How it works\n\nSee [two](${two}).\n\n### Why\n\n~~~\n# code\n~~~\n\n## Walkthrough\n\n`,
  );
  assert.is(result.structuredContent.howItWorks, howItWorks);
});

test('a failure of several paragraphs belongs to its answer in the list', () => {
  const answer = { model: 'm', case: 'a', date: '2026-11-19', checks: 1, outOfDate: false };
  const [, , list] = proofMarkdown({
    document: 'd',
    answers: [
      { ...answer, failures: ['contains: one\n\n- two'] },
      { ...answer, failures: [] },
    ],
  });
  assert.is(
    list,
    '- m, a, 2026-11-19: 0 of 1 checks passed. Failed: contains: one\n\n  \\- two\n- m, a, 2026-11-19: 1 of 1 checks passed.',
  );
});

test.run();
