import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Agent, agentOf, headOf } from '../../src/schema/agent.ts';
import { isPublishable, lineDigests, publishableLicenses, revisionOf, versionOf } from '../../src/schema/documents.ts';
import { storedNote } from '../../src/schema/requests.ts';

/** What a build keeps of an agent, and what may be published. */

test('an imported prompt can be published under licenses that ask no more than credit, however they are written', () => {
  const open = ['CC-BY-4.0', 'CC0-1.0', '0BSD', 'MIT-0', 'Unlicense'];
  assert.is(publishableLicenses, open.join(', '));
  for (const license of open) assert.ok(isPublishable(license) && isPublishable(license.toLowerCase()), license);
  for (const license of ['MIT', 'CC-BY-SA-4.0', 'unknown', '']) assert.not.ok(isPublishable(license), license);
});

test('an agent that a build recalls has every field, and its texts are read once, when one is used', () => {
  const texts = {
    howItWorks: 'a',
    prompt: 'b',
    sampleInput: 'c',
    sampleOutput: 'd',
    evals: { cases: [], answers: [] },
  };
  const config = { file: 'config.json', text: '{"e":1}', value: { e: 1 } };
  const front = { title: 'T', date: '2026-01-01', tags: ['f'], demo: [{ second: 1, label: 'g', detail: 'h' }] };
  const agent = { slug: 'one', digest: '1', headDigest: '2', proof: null, ...front, ...texts, config };
  let reads = 0;
  const recalled = agentOf(headOf(agent as unknown as Agent), () => {
    reads += 1;
    return agent as unknown as Agent;
  });
  assert.equal([recalled.title, recalled.tags, recalled.config?.file, reads], ['T', ['f'], 'config.json', 0]);
  for (const [key, value] of Object.entries(agent)) {
    assert.equal(JSON.stringify(recalled[key as keyof Agent]), JSON.stringify(value), key);
  }
  assert.is(reads, 1);
  assert.is(agentOf(headOf({ ...agent, config: null } as unknown as Agent), () => recalled).config, null);
});

test('a note is stored without characters that databases refuse, and an empty one is none', () => {
  assert.equal([storedNote(undefined), storedNote(''), storedNote('a')], [undefined, undefined, 'a']);
  assert.is(storedNote('a\0b\ud800c😀\n'), 'a\ufffdb\ufffdc😀\n');
});

test('a prompt is recognized by its different lines, without spaces around them and without blank ones', () => {
  const digests = ['a', 'b'].map((line) => createHash('sha256').update(line).digest('hex').slice(0, 8));
  assert.equal(lineDigests('a\n\n  b\n b \na\n'), digests);
});

test('the version of a plugin says how often it was changed', () => {
  for (const revision of [0, 7, 10, 123456789]) assert.is(revisionOf(versionOf(revision)), revision);
  for (const other of ['1.01.0', '2.1.0', '1.1.1', '1.1234567890.0', 'v1.1.0', '1.1.0-a', '1.1a.0', 1, undefined]) {
    assert.is(revisionOf(other), null, String(other));
  }
});

test.run();
