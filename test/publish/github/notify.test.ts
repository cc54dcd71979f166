import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, writeCatalog } from '../../support/catalog.ts';
import { catalog, type Finished } from '../../support/process.ts';

/** What maintainers read in the GitHub issues of `catalog ci notify`, and what the log of the job says. */

interface Notified extends Finished {
  issues: { title: string; body: string }[];
}

/** Runs the command on 2026-11-21, with an imitation of GitHub in which issues with these titles are open. */
function notify(agents: SmallAgent[], ...open: string[]): Promise<Notified> {
  return inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const issues: Notified['issues'] = [];
    const server = createServer(async (request, response) => {
      if (request.method === 'GET') {
        response.end(JSON.stringify(open.map((title) => ({ title }))));
        return;
      }
      issues.push(JSON.parse(await text(request)));
      response.writeHead(201).end(JSON.stringify({ html_url: `https://github.example/${issues.length}` }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const env = {
        GITHUB_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        GITHUB_REPOSITORY: 'press/catalog',
        GITHUB_TOKEN: 'token-of-the-job',
      };
      const done = await catalog(['ci', 'notify', '--cwd', folder, '--today', '2026-11-21'], { env });
      return { ...done, issues };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}

const first: SmallAgent = { slug: 'first', date: '2026-11-20', front: { issue: '1' } };
const faulty: SmallAgent = { slug: 'faulty', date: '2026-11-21', front: { difficulty: 'medum' } };
const undated: SmallAgent = { slug: 'undated', date: 'soon' };
const next: SmallAgent = { slug: 'next', date: '2026-11-22', front: { title: '"A | B & <C>"' } };

test('each skipped agent and a low queue get a GitHub issue that says what to do', async () => {
  const { code, stdout, stderr, issues } = await notify([first, faulty, undated, next]);
  assert.equal(
    [code, stdout, stderr],
    [
      0,
      'https://github.example/1\nhttps://github.example/2\nhttps://github.example/3\n',
      '3 alerts, 3 new GitHub issues.\n',
    ],
  );
  const free = 'If a later agent is already published, also give it a free date, such as 2026-11-23.';
  const fix = `Fix its errors. ${free} All other agents due were published.`;
  const [one, two, queue] = issues;
  assert.is(one?.title, 'Skipped: faulty');
  assert.ok(
    one?.body.startsWith(
      '`agents/faulty` was not published. It was due on 2026-11-21, and it has errors:\n\n```text\n',
    ),
  );
  assert.match(one?.body ?? '', '\n  > 6 | difficulty: medum\n');
  assert.ok(one?.body.endsWith(`\n1 error\n\`\`\`\n\n${fix}`), one?.body);
  assert.is(two?.title, 'Skipped: undated');
  assert.match(two?.body ?? '', '`agents/undated` was not published. Its date cannot be read, and it has errors:\n');
  assert.equal(queue, {
    title: 'The queue is running low',
    body: 'Agents are ready through 2026-11-22. Next is A \\| B &amp; &lt;C&gt;, on 2026-11-22. The first free date is 2026-11-23. Start an agent with `npx --no daily-agent-catalog new`.',
  });
});

test('an alert that is open already gets no second GitHub issue, and one alert is not "alerts"', async () => {
  const { stdout, stderr, issues } = await notify([first], 'The queue is running low');
  assert.equal([stdout, stderr, issues], ['', '1 alert, 0 new GitHub issues.\n', []]);
  // This GitHub has the same issues on every page.
  const endless = await notify([first], ...Array<string>(100).fill('Another one'));
  assert.equal(
    [endless.code, endless.stderr],
    [1, "error: GitHub's list issues?state=open has more than 10000 entries, or never ends.\n"],
  );
});

test('without a scheduled agent, the alert says so', async () => {
  const { stderr, issues } = await notify([first]);
  assert.is(stderr, '1 alert, 1 new GitHub issue.\n');
  assert.is(
    issues[0]?.body,
    'No agent is ready for tomorrow. No agent is scheduled after that. The first free date is 2026-11-21. Start an agent with `npx --no daily-agent-catalog new`.',
  );
});

test.run();
