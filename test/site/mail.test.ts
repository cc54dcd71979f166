import { caniemail } from 'caniemail';
import { load } from 'cheerio';
import { HtmlValidate } from 'html-validate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTemplates } from '../../src/build/read-templates.ts';
import { loadContent } from '../../src/content/load.ts';
import { select } from '../../src/content/schedule.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { digestMail, issueMail, type Mail } from '../../src/site/mail/mail.ts';
import { makeSite } from '../../src/site/make-site.ts';
import { documentOf } from '../../src/site/shared/agent-document.ts';
import type { Site } from '../../src/site/site.ts';
import { hebrew } from '../support/awkward-agents.ts';
import { bundledTexts, inFolder, type SmallAgent, writeCatalog } from '../support/catalog.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { render } from '../support/render.ts';
import { configureOnce, unfilledPlugin } from '../support/unfilled.ts';

/** The emails to readers: valid, complete in every mail program, short enough, and without anything that tracks. */

const leave = 'https://press.example/unsubscribe?token=abc';
const today = '2026-12-01';

function siteIn(folder: string): Site {
  const settings = loadSettings(folder, {}, {});
  const selected = select(loadContent(folder, settings, today), { today, future: true });
  const options = { preview: false, history: new Map(), cache: null, images: false };
  return makeSite(readTemplates(folder), settings, selected, options);
}

/** The email about an agent with this prompt. */
function mailOf(prompt: string, agent: Partial<SmallAgent> = {}, settings: object = {}): Promise<Mail> {
  return inFolder((folder) => {
    const files = { 'prompt.txt': prompt };
    writeCatalog(folder, [{ slug: 'one', date: today, files, ...agent }], settings);
    const site = siteIn(folder);
    if (site.agents[0] === undefined)
      throw new Error(JSON.stringify(loadContent(folder, site.settings, today).diagnostics));
    return issueMail(site, site.agents[0], leave);
  });
}

const whole = siteIn(bundledTexts());
const mails = [...whole.agents.map((agent) => issueMail(whole, agent, leave)), digestMail(whole, whole.agents, leave)];

/** What readers copy from the box with the prompt. */
function promptIn({ html }: Mail): string {
  const document = load(html);
  document('.plate br').replaceWith('\n');
  return document('.plate').text();
}

test('every email of the bundled catalog is valid HTML, and no template leaves an element empty', async () => {
  const judge = new HtmlValidate({
    extends: ['html-validate:recommended', 'html-validate:document'],
    plugins: [unfilledPlugin],
    rules: { unfilled: 'error', 'no-trailing-whitespace': 'off', 'long-title': 'off', 'no-inline-style': 'off' },
  });
  await configureOnce(judge);
  assert.ok(mails.length > 10);
  for (const { html, subject } of mails) {
    const { results } = await judge.validateString(html, `${subject}.html`);
    const faults = results.flatMap(({ messages }) => messages.map((m) => `${m.line} ${m.ruleId} ${m.message}`));
    assert.equal(faults, [], subject);
    assert.is(load(html)('[style=""]').length, 0, subject);
  }
});

/** What some of these mail programs do not support, and what readers see instead. */
const accepted: Record<string, string> = {
  '@media': 'the light colors, or colors that the program inverts',
  '<style> element': 'the same',
  '<body> element': 'the table has the same background',
  'display:none': 'the first line of the mail is the excerpt',
  overflow: 'the same; Word hides what has display: none',
  'white-space': 'lines still break where the prompt has them; only its indentation is lost',
  'word-break': 'a very long word makes the mail wider',
  'role attribute': 'nothing on the screen',
  'lang attribute': 'nothing on the screen',
  'height property': 'meant are line heights, which all programs support',
};

test('every email needs only what the large mail programs support, except where the result is readable', () => {
  const clients = ['gmail.*', 'outlook.*', 'apple-mail.*', 'yahoo.*', 'samsung-email.*', 'thunderbird.*', 'hey.*'];
  for (const html of [mails[0]?.html ?? '', mails.at(-1)?.html ?? '']) {
    const { errors } = caniemail({ clients: clients as Parameters<typeof caniemail>[0]['clients'], html }).issues;
    const titles = new Set([...errors.values()].flat().map(({ title }) => title));
    assert.equal(
      [...titles].filter((title) => !(title in accepted)),
      [],
    );
    assert.ok(titles.size > 3, 'the linter read nothing');
  }
});

test('each text of an agent is written in its own direction: a sentence from right to left ends at the left', () =>
  inFolder((folder) => {
    const files = {
      'prompt.txt': `בדוק את הקבצים.\n${goodPrompt}`,
      'sample-output.txt': '| קובץ | שם |\n|---|---|\n| א | ב |\n',
    };
    writeCatalog(folder, [{ ...hebrew, files }]);
    const site = siteIn(folder);
    const [agent] = site.agents;
    assert.ok(agent);
    const { title, excerpt, problem } = documentOf(agent);
    for (const [mail, texts] of [
      [issueMail(site, agent, leave), [title, excerpt, problem, 'בדוק את הקבצים.']],
      [digestMail(site, [agent], leave), [title, excerpt]],
    ] as const) {
      const document = load(mail.html);
      const directed = [...document('[dir="auto"]')].map((element) => document(element).text());
      for (const text of texts)
        assert.ok(
          directed.some((each) => each.startsWith(text)),
          text,
        );
      assert.match(mail.html, 'text-align: start');
      assert.not.match(mail.html, 'text-align: left');
    }
  }));

test('an email loads nothing, runs nothing, and links to the site without any mark of the reader', () => {
  for (const { html } of mails) {
    const document = load(html);
    assert.is(document('meta[http-equiv]').length, 0, 'no policy that a program could apply to what a service adds');
    assert.is(document('img, script, link, iframe, form, object, video, [background], [srcset]').length, 0);
    assert.not.match(html, /url\(|@import|<base/);
    const links = document('a')
      .toArray()
      .map((link) => document(link).attr('href') ?? '');
    for (const link of links.filter((link) => link !== leave && !link.startsWith('https://creativecommons.org/'))) {
      assert.match(
        link,
        /^https:\/\/agents\.example\.com\/(?:agents\/[a-z-]+(?:\/prompt\.txt)?(?:\?vote=(?:yes|no))?(?:#[a-z-]+)?)?$/,
      );
    }
    assert.is(links.filter((link) => link === leave).length, 1);
  }
});

test('the text of an email says what the HTML says', () => {
  for (const { html, text } of mails) {
    const document = load(html);
    for (const part of document('h1, h2, .plate').toArray()) {
      assert.ok(text.replace(/\s/g, '').includes(document(part).text().replace(/\s/g, '')));
    }
    for (const link of document('a').toArray()) {
      const address = document(link).attr('href') ?? '';
      if (!address.startsWith('https://creativecommons.org/')) assert.ok(text.includes(address), address);
    }
  }
});

test('a prompt full of markup and braces arrives as text, and the HTML has no brace that a service could replace', async () => {
  const hostile = `${goodPrompt}{{ subscriber.email }} {% include "x" %} {{{RESEND}}} {# #} </div><script>1</script> &amp; $& $1\n  - nested\n`;
  const mail = await mailOf(hostile);
  assert.is(promptIn(mail), hostile.trimEnd());
  assert.ok(mail.text.includes(`\n${hostile}\n`));
  assert.not.match(mail.html.replace(/<style>[^<]*<\/style>/, ''), /[{}]/);
});

for (const [what, line] of [
  ['lines', 'A rule with <angles>, {braces} and "quotes", again and again.\n'],
  ['a single line', '<{&"Ω🙂'],
] as const) {
  test(`a prompt of 200 KB in ${what} is shortened to less than 90 KB, which the email says, with a link`, async () => {
    const prompt = `${goodPrompt}${line.repeat(Math.ceil(200_000 / Buffer.byteLength(line))).trimEnd()}\n`;
    const mail = await mailOf(prompt);
    const bytes = Buffer.byteLength(mail.html);
    assert.ok(bytes <= 90_000 && bytes > 89_000, `${bytes} bytes`);
    const shown = promptIn(mail);
    assert.ok(prompt.startsWith(shown) && !shown.includes('\uFFFD'));
    const document = load(mail.html);
    const said = document('p:contains("shortened")');
    assert.is(said.text(), 'The prompt is shortened here, since it is too long for an email. Read the whole prompt.');
    assert.is(said.find('a').attr('href'), 'https://press.example/agents/one/prompt.txt');
    assert.match(mail.text, 'too long for an email. The whole prompt: https://press.example/agents/one/prompt.txt\n');
    assert.ok(mail.text.includes(shown));
  });
}

test('a shortened prompt ends with a whole emoji, wherever the limit falls', async () => {
  for (const before of ['', 'a', 'ab', 'abc']) {
    const { html, text } = await mailOf(`INPUT\n\nRULES\n\nOUTPUT\n${before}${'🙂'.repeat(23_000)}\n`);
    assert.match(html, '🙂</div>');
    for (const part of [html, text]) assert.not.match(part, /\p{Surrogate}/u);
  }
});

test('an email has the postal address, and no links to vote without a server', async () => {
  const postalAddress = 'Test Press\n1 Main Street, Springfield, IL 62701';
  const { html, text } = await mailOf(goodPrompt, {}, { postalAddress, runtimeUrl: null });
  assert.match(text, postalAddress);
  assert.match(html, /<br>\s*Test Press<br>\s*1 Main Street, Springfield, IL 62701<br>/);
  for (const part of [html, text]) assert.not.match(part, /vote=|useful/);
});

test('the subject of a week with one agent names one', () => {
  const { subject, text } = digestMail(whole, whole.agents.slice(0, 1), leave);
  assert.is(subject, 'Daily Agent Catalog: 1 agent of the week');
  assert.match(text, `${subject}\n\n`);
});

test('only the newest agents, as many as in a feed, have a file each for HTML and text', () =>
  inFolder((folder) => {
    writeCatalog(
      folder,
      ['one', 'two', 'three'].map((slug, at) => ({ slug, date: `2026-11-1${at}` })),
      { feedLength: 2 },
    );
    const files = render(folder, { today });
    const paths = [...files.keys()].filter((path) => path.startsWith('mail/'));
    assert.equal(paths.sort(), ['mail/2.html', 'mail/2.txt', 'mail/3.html', 'mail/3.txt']);
    const meta = load(files.get('mail/2.html') ?? '')('meta[http-equiv=Content-Security-Policy]');
    const policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";
    assert.is(meta.attr('content'), policy, 'for hosts without headers');
  }));

test.run();
