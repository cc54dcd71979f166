import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperationError, UsageError } from '../../../src/lib/errors.ts';
import { GitHubRepository } from '../../../src/publish/github.ts';

/** Alerts become GitHub issues. The tests use an imitation of GitHub's API on this machine. */

/** Calls `use` with the environment of a job whose API is `answer`. */
async function withApi(answer: RequestListener, use: (env: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    await use({
      GITHUB_API_URL: `http://127.0.0.1:${port}/api/v3/`,
      GITHUB_REPOSITORY: 'press/catalog.site',
      GITHUB_TOKEN: 'token-of-the-job',
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/**
 * An imitation of GitHub's list of open issues, which records new ones. Like GitHub, it returns 30 a page by default
 * and at most 100.
 */
function tracker(titles: readonly string[]) {
  const posted: unknown[] = [];
  const seen: string[] = [];
  const answer = async (request: IncomingMessage): Promise<[status: number, value: unknown]> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { authorization, accept } = request.headers;
    const isKnown = authorization === 'Bearer token-of-the-job' && accept === 'application/vnd.github+json';
    if (!isKnown || pathname !== '/api/v3/repos/press/catalog.site/issues') return [404, {}];
    if (request.method === 'POST') {
      posted.push(JSON.parse(await text(request)));
      return [201, { html_url: `https://github.example/issues/${posted.length}` }];
    }
    const size = Math.min(Number(searchParams.get('per_page') ?? 30), 100);
    const page = Number(searchParams.get('page') ?? 1);
    seen.push(`${searchParams.get('state')} ${page}`);
    return [200, titles.slice((page - 1) * size, page * size).map((title, index) => ({ number: index + 1, title }))];
  };
  const listener: RequestListener = (request, response) => {
    answer(request).then(([status, value]) => response.writeHead(status).end(JSON.stringify(value)));
  };
  return { posted, seen, listener };
}

const alert = (title: string) => ({ title, body: `About ${title}.` });

for (const count of [1, 99, 100, 101, 200, 201]) {
  test(`an alert that is the last of ${count} open issues gets no second one`, async () => {
    const titles = Array.from({ length: count }, (_, index) => `Issue ${index + 1}`);
    const { posted, seen, listener } = tracker(titles);
    await withApi(listener, async (env) => {
      const alerts = [alert(`Issue ${count}`), alert('Held back: one'), alert('Issue')];
      const opened = await new GitHubRepository(env).openIssues(alerts);
      assert.equal(opened, ['https://github.example/issues/1', 'https://github.example/issues/2']);
    });
    assert.equal(posted, [alert('Held back: one'), alert('Issue')]);
    const pages = Math.floor(count / 100) + 1;
    assert.equal(
      seen,
      Array.from({ length: pages }, (_, index) => `open ${index + 1}`),
    );
  });
}

test('without alerts GitHub is not asked', async () => {
  const { seen, listener } = tracker([]);
  await withApi(listener, async (env) => assert.equal(await new GitHubRepository(env).openIssues([]), []));
  assert.equal(seen, []);
});

test('a refusal and a missing answer are errors that say what GitHub did', async () => {
  await withApi(
    (_request, response) => response.writeHead(403).end('{"message":"Resource not accessible by integration"}'),
    async (env) => {
      const refused = await new GitHubRepository(env).openIssues([alert('One')]).catch((error) => error);
      assert.instance(refused, OperationError);
      assert.match(refused.message, /^GitHub answered 403 to GET http:\/\/127\.0\.0\.1:\d+\/api\/v3\/repos\/press\//);
      assert.match(refused.message, / Resource not accessible by integration\.$/);
    },
  );
  await withApi(
    (_request, response) => response.end('{}'),
    async (env) => {
      const odd = await new GitHubRepository(env).openIssues([alert('One')]).catch((error) => error);
      assert.match(odd.message, /^GitHub answered GET http:\/\/127\S+, but not in the expected form\.$/);
    },
  );
  await withApi(
    (_request, response) => response.destroy(),
    async (env) => {
      const silent = await new GitHubRepository(env).openIssues([alert('One')]).catch((error) => error);
      assert.instance(silent, OperationError);
      assert.match(silent.message, /^GitHub does not answer at http:\/\/127/);
    },
  );
});

test('an alert reaches a repository that was renamed, and the token reaches no other host', async () => {
  const { posted, listener } = tracker([]);
  const tokens: (string | undefined)[] = [];
  await withApi(
    (request, response) => {
      tokens.push(request.headers.authorization);
      response.end('[]');
    },
    async ({ GITHUB_API_URL: elsewhere }) => {
      const moved = (to: string, env: NodeJS.ProcessEnv) =>
        new GitHubRepository({ ...env, GITHUB_REPOSITORY: to }).openIssues([alert('One')]);
      const renamed: RequestListener = (request, response) => {
        const [, repository, rest] = /repos\/press\/(old|lost)(.*)/.exec(request.url ?? '') ?? [];
        if (repository === undefined) return listener(request, response);
        const location = repository === 'old' ? `/api/v3/repos/press/catalog.site${rest}` : elsewhere;
        response.writeHead(301, { location }).end();
      };
      await withApi(renamed, async (env) => {
        assert.equal(await moved('press/old', env), ['https://github.example/issues/1']);
        await moved('press/lost', env).catch(() => {});
      });
    },
  );
  assert.equal(posted, [alert('One')]);
  assert.equal(tokens, [undefined, undefined]);
});

test('the environment has to name the repository and the token; the API is GitHub’s own by default', () => {
  const env = { GITHUB_REPOSITORY: 'press/catalog', GITHUB_TOKEN: 'x' };
  for (const GITHUB_API_URL of [undefined, '']) {
    assert.is(new GitHubRepository({ ...env, GITHUB_API_URL }).api, 'https://api.github.com');
  }
  for (const wrong of [
    { GITHUB_REPOSITORY: '' },
    { GITHUB_REPOSITORY: 'catalog' },
    { GITHUB_REPOSITORY: 'a/b/c' },
    { GITHUB_REPOSITORY: 'press/../catalog' },
    { GITHUB_TOKEN: '' },
    { GITHUB_TOKEN: undefined },
  ]) {
    assert.throws(
      () => new GitHubRepository({ ...env, ...wrong }),
      (error: unknown) => error instanceof UsageError,
      JSON.stringify(wrong),
    );
  }
});

test.run();
