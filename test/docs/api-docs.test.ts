import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorCodes } from '../../src/schema/requests.ts';
import { type CurlAnswer, runCurl } from '../support/curl.ts';
import { loud } from '../support/loud.ts';
import { run } from '../support/process.ts';
import { addressOf, documented, type State, startStates, stopStates } from '../support/server-states.ts';
import { testUnless } from '../support/skip.ts';

/**
 * docs/api.md calls the server with curl. This runs every command of the page against a real server and compares the
 * answers. UPDATE=1 writes the table of errors from the rows below.
 */

const page = new URL('../../docs/api.md', import.meta.url);

const json = "-H 'Content-Type: application/json'";
const feedback = `${documented}/api/feedback`;
const subscribe = `${documented}/api/subscribe`;
const rows: { when: string; state?: State; curl: string }[] = [
  { when: 'The request is not well-formed HTTP', curl: `curl -s -X 'NO METHOD' ${documented}/api/agents.json` },
  { when: 'The body is not JSON', curl: `curl -s ${json} -d '{"slug":' ${feedback}` },
  {
    when: 'A field of a vote breaks its rule',
    curl: `curl -s ${json} -d '{"slug":"claim-ladder","vote":"maybe"}' ${feedback}`,
  },
  {
    when: 'A field of a subscription breaks its rule',
    curl: `curl -s ${json} -d '{"email":"ada","list":"daily"}' ${subscribe}`,
  },
  {
    when: 'The request comes from a page of another site',
    curl: `curl -s ${json} -H 'Origin: https://elsewhere.example' -d '{"slug":"claim-ladder","vote":"yes"}' ${feedback}`,
  },
  {
    when: 'The slug of a vote is not the slug of an agent',
    curl: `curl -s ${json} -d '{"slug":"no-such-agent","vote":"yes"}' ${feedback}`,
  },
  { when: 'No agent has the slug', curl: `curl -s ${documented}/api/agents/no-such-agent.json` },
  { when: 'Nothing is at the address', curl: `curl -s ${documented}/api/no-such-address` },
  {
    when: 'A file is requested with a method other than GET or HEAD',
    curl: `curl -s -X DELETE ${documented}/api/agents.json`,
  },
  { when: 'An operation that needs POST is requested with GET', curl: `curl -s ${feedback}` },
  {
    when: 'The body does not arrive within 20 seconds',
    state: 'little patience',
    curl: `curl -s ${json} -H 'Content-Length: 100' -d '{"slug":' ${feedback}`,
  },
  {
    when: 'The body has more than 64 KiB',
    curl: String.raw`curl -s ${json} -d "{\"note\":\"$(printf %0100000d 0)\"}" ${feedback}`,
  },
  {
    when: 'The content type is neither JSON nor a form',
    curl: `curl -s -H 'Content-Type: text/plain' -d 'yes' ${feedback}`,
  },
  {
    when: 'A range starts after the end of the file',
    curl: `curl -s -H 'Range: bytes=99999999-' ${documented}/api/agents/claim-ladder.json`,
  },
  {
    when: 'A client votes more often than allowed (here: once a minute)',
    state: 'one vote a minute',
    curl: `curl -s ${json} -d '{"slug":"claim-ladder","vote":"yes"}' ${feedback}`,
  },
  {
    when: 'The headers have more than 16 KiB',
    curl: `curl -s -H "X-Long: $(printf %0100000d 0)" ${documented}/api/agents.json`,
  },
  {
    when: 'The server fails, for example because it cannot read a file',
    state: 'a file that cannot be read',
    curl: `curl -s ${documented}/api/schema.json`,
  },
  {
    when: 'The provider fails, refuses, or does not answer within 5 seconds',
    state: 'a provider that is down',
    curl: `curl -s ${json} -d '{"email":"ada@example.com","list":"daily"}' ${subscribe}`,
  },
  {
    when: 'Votes cannot be stored, or the server is starting',
    state: 'a data folder that is gone',
    curl: `curl -s ${json} -d '{"slug":"claim-ladder","vote":"yes"}' ${feedback}`,
  },
];
/** Headers that tell a client what to do about an error. */
const telling = ['Allow', 'RateLimit-Policy', 'RateLimit', 'Retry-After'];

function tableRow({ when, curl }: (typeof rows)[number], { status, headers, body }: CurlAnswer): string {
  const shown = status === 429 ? steady : String;
  const told = telling.flatMap((name) => (headers.has(name) ? [`\`${name}: ${shown(headers.get(name) ?? '')}\``] : []));
  const { error } = JSON.parse(body) as { error: string };
  const cells = [status, code(error), when, code(curl), [code(shown(body)), ...told].join('<br>')];
  return `| ${cells.join(' | ')} |`;
}

/** A code span of Markdown. */
function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** The number of seconds until a client may vote again depends on the time of the request. */
function steady(text: string): string {
  return text.replace(/(?<=in |;t=|^)\d+(?= seconds|$)/g, '60');
}
/**
 * Runs a command of the page against another address: with a shell and curl or, if they are missing, in this process.
 */
const call = (command: string, address: string) => runCurl(command.replaceAll(documented, address));

/** Runs the command of a row against the server in the state that it needs. */
async function answerTo(command: string, state?: State): Promise<CurlAnswer> {
  // The first vote of a minute, unless it was sent before.
  if (state === 'one vote a minute') await call(command, addressOf(state));
  return call(command, addressOf(state));
}

test.before(loud(startStates));
test.after(loud(stopStates));

const table = ['| status | `error` | when | command | answer |', '|---|---|---|---|---|'];

if (process.env.UPDATE === '1') {
  test('docs/api.md has the current table of errors', async () => {
    const made: string[] = [];
    for (const row of rows) made.push(tableRow(row, await answerTo(row.curl, row.state)));
    const [prose] = readFileSync(page, 'utf8').split(table[0] as string);
    writeFileSync(page, `${prose}${[...table, ...made].join('\n')}\n`);
  });
}

const text = () => readFileSync(page, 'utf8');
const tableRows = () =>
  (text().split(table.join('\n'))[1] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));

for (const { when, state } of rows) {
  test(`docs/api.md describes the answer: ${when}`, async () => {
    const row = tableRows().find((cells) => cells[2] === when);
    assert.ok(row, 'the table has no such row; UPDATE=1 writes it anew');
    const curl = (row[3] ?? '').slice(1, -1);
    assert.is(`| ${row.join(' | ')} |`, tableRow({ when, curl }, await answerTo(curl, state)));
  });
}

test('docs/api.md has every code with its status, and every row is tested', () => {
  const known = Object.entries(errorCodes).map(([code, { status }]) => `${status} \`${code}\``);
  const listed = tableRows().map(([status, code]) => `${status} ${code}`);
  assert.equal([...new Set(listed)].sort(), known.sort());
  assert.equal(
    tableRows().map((cells) => cells[2]),
    rows.map(({ when }) => when),
  );
});

test('every other command of docs/api.md succeeds', async () => {
  const blocks = [...text().matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n'));
  assert.ok(blocks.length > 0);
  for (const command of blocks) {
    const { status } = await call(command, addressOf());
    assert.ok(status >= 200 && status < 400, `${command} is answered ${status}`);
  }
});

test('docs/api.md shows the actual answers to its commands', async () => {
  const shown = [...text().matchAll(/```sh\n([^`]*)\n```\n\n```json\n([^`]*)```/g)];
  assert.is(shown.length, 6);
  for (const [, command = '', json = ''] of shown) {
    const { body } = await call(command, addressOf());
    // `…` matches any text, including several lines.
    const pattern = json
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('…', '.*');
    // The build has the address of the settings.
    const here = body.trim().replaceAll(addressOf(), documented).replaceAll('https://agents.example.com', documented);
    assert.match(here, new RegExp(`^${pattern}$`, 's'), command);
  }
});

const programs: [language: string, program: string, ...args: string[]][] = [
  ['bash', 'sh', '-c'],
  ['python', 'python3', '-c'],
  ['js', process.execPath, '--input-type=module', '--eval'],
];
for (const [language, program, ...args] of programs) {
  const needed = language === 'bash' ? ['-c', 'jq --version && curl --version'] : ['--version'];
  const missing = spawnSync(program, needed).status !== 0 && `${program} ${needed.join(' ')} fails`;
  testUnless(missing)(`docs/api.md has an example in ${language} that works`, async () => {
    const example = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(text())?.[1] ?? '';
    const { stdout, stderr } = await run(program, [...args, example.replaceAll(documented, addressOf())]);
    assert.is(stdout, 'release-note-translator\n', stderr);
  });
}

test.run();
