import { load } from 'cheerio';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { evalsFiles } from '../support/evals.ts';
import { render } from '../support/render.ts';

/** The section "Proof" of an agent's page, as browsers and screen readers take it, to the last space. */

const files = {
  ...evalsFiles,
  'evals/checks.yaml': `sample:
  checks:
    - quotes-in-input: true
    - is-json: true
      why: A program reads it.
      catches:
        said: A sentence follows.
planted:
  input: planted.txt
  checks:
    - not-equals: fine
      catches:
        near: The total is off.
    - not-contains: certain
      catches:
        far: It only agrees.
        short: It is only "fine".
    - not-contains: sure
      catches:
        farther: It agrees twice.
    - not-contains: positive
      catches:
        twice: Two rows are wrong.
`,
  'evals/recordings/other/planted.txt': 'A | 1\nB | 2\nC | 3\nD | 4\nE | 5\nTotal: 15 <b>rows</b>\n',
  'evals/counterexamples/near.txt': 'A | 1\nB | 2\nC | 3\nD | 4\nE | 5\nTotal: 16 <b>rows</b>\n',
  'evals/counterexamples/far.txt': 'It is fine, and so is everything else.\nAll rows are right, as far as I see.\n',
  'evals/counterexamples/short.txt': 'Certain, and fine.\n',
  'evals/counterexamples/farther.txt':
    'It is fine, and so is everything else.\nAll rows are right, as far as I see.\nYes.\n',
  'evals/counterexamples/twice.txt': 'A | 9\nB | 2\nC | 3\nD | 4\nTotal: 15 <b>rows</b>\n',
  'evals/recordings/other/sample.txt': 'It says "<b>twelve or more</b>".\n',
  'evals/counterexamples/said.txt': '{"rows": 0,\n"odd": [],\n"even": []}\nThat is all.\n',
  'sample-output.txt': '{"rows": 0,\n"odd": [],\n"even": []}\n',
};

const page = await inFolder((folder) => {
  writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files }]);
  return load(String(render(folder, { today: '2026-01-02' }).get('agents/one.html')));
});
const proof = page('section[aria-labelledby=proof]');
/** The texts of elements, without the details in them. */
const texts = (selector: string) =>
  proof
    .find(selector)
    .map((_, element) => page(element).clone().children('details').remove().end().text())
    .get();

test('a case lists its checks once, an answer only what it fails, with single spaces and without markup of the answer', () => {
  assert.equal(texts('#proof-other--sample li'), [
    'Failed: quotes-in-input Not in the input: "<b>twelve or more</b>".',
    'Failed: A program reads it. It is not JSON.',
  ]);
  assert.equal(texts('#proof-other--planted li'), []);
  assert.equal(texts('details:not([id]) li'), [
    ...['quotes-in-input', 'A program reads it.'],
    ...['not-equals fine', 'not-contains certain', 'not-contains sure', 'not-contains positive'],
  ]);
  assert.equal(texts('li > code'), [
    ...['quotes-in-input', 'quotes-in-input'],
    ...['not-equals fine', 'not-contains certain', 'not-contains sure', 'not-contains positive'],
  ]);
  assert.is(proof.find('li b').length, 0);
});

test('an answer says how it was made, and a note only if there is one', () => {
  assert.equal(texts('details > .quiet'), [
    'Pasted by a person on January 1, 2026. In a new chat.',
    'Recorded through an API on January 1, 2026. (temperature 0, 9 tokens out)',
    'What differs from the sample output:',
    'Recorded through an API on January 1, 2026.',
    'What differs from the answer of Other, as its page says:',
    'What differs from the wrong answer “It only agrees.”:',
    'What differs from the answer of Other, as its page says:',
  ]);
});

test('a wrong answer is shown by what differs from the good answer that it was made from, and one of its own as a whole', () => {
  const wrong = proof.find('.checks details');
  assert.equal(
    wrong
      .find('.changes > *')
      .map((_, line) => `${line.tagName} ${page(line).text()}`)
      .get(),
    [
      ...['span "even": []}', 'ins Added: That is all.'],
      ...['del Removed: Total: 15 <b>rows</b>', 'ins Added: Total: 16 <b>rows</b>'],
      ...['span All rows are right, as far as I see.', 'ins Added: Yes.'],
      // A line separates places, and what is only removed comes after the line before it.
      ...['del Removed: A | 1', 'ins Added: A | 9', 'hr ', 'span D | 4', 'del Removed: E | 5'],
    ],
  );
  const lines = wrong.find('.changes > :not(hr)').toArray();
  const separate = lines.filter((line) => page(line).children().last().is('br'));
  assert.is(separate.length, lines.length, 'each is a line of its own without styles too');
  assert.match(wrong.eq(2).find('pre').text(), 'It is fine');
  assert.equal(texts('.checks details > p:not(.quiet)'), ['Does not catch: It is only "fine".']);
  assert.is(proof.find('.leaf-body > p a').attr('href'), '/api/evals/one.json');
});

test('every box has a name, and each answer its own address', () => {
  const boxes = proof.find('[role=group]').map((_, element) => {
    const { 'aria-label': label, 'aria-labelledby': id } = element.attribs;
    return label ?? page(`[id="${id}"]`).text();
  });
  assert.equal(boxes.get(), ['The answer', 'With the prompt', 'The input', 'How it starts']);
  const answers = proof.find('details[id]').map((_, { attribs }) => attribs.id);
  assert.equal(answers.get(), ['proof-other--sample', 'proof-some-model--sample', 'proof-other--planted']);
  const ids = page('[id]').map((_, element) => element.attribs.id);
  assert.is(new Set(ids.get()).size, ids.length);
});

test('answers of a model come in the order of the cases, whatever the order of their recordings', async () => {
  const { cases } = JSON.parse(evalsFiles['evals/recordings/other/recording.json']);
  const turned = JSON.stringify({ cases: { planted: cases.planted, sample: cases.sample } });
  await inFolder((folder) => {
    const own = { ...evalsFiles, 'evals/recordings/other/recording.json': turned };
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files: own }]);
    const files = render(folder, { today: '2026-01-02' });
    const { answers } = JSON.parse(String(files.get('api/evals/one.json')));
    assert.equal(
      answers.map((answer: { case: string }) => answer.case),
      ['sample', 'planted', 'sample'],
    );
  });
});

test('before an answer to a case is recorded, the page shows its checks, and says if its input is empty', () =>
  inFolder((folder) => {
    const unanswered = 'open:\n  input: open.txt\n  checks:\n    - contains: open\n';
    const checks = { 'evals/checks.yaml': `${evalsFiles['evals/checks.yaml']}${unanswered}`, 'evals/open.txt': '' };
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files: { ...evalsFiles, ...checks } }]);
    const html = String(render(folder, { today: '2026-01-02' }).get('agents/one.html'));
    const last = load(html)('details:has(summary:contains("The input"))').last();
    assert.is(last.find('p').first().text(), 'The input is empty.');
    assert.is(last.find('li').text().trim(), 'contains open');
  }));

test.run();
