import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSmtpSettings, type SmtpSettings } from '../../src/mail/settings.ts';
import { type Mail, openSmtp, SmtpFailed } from '../../src/mail/smtp.ts';
import { startMailbox } from '../support/mailbox.ts';

/** Emails over SMTP, to a real server. */

const unsubscribe = `https://agents.example.com/subscription/unsubscribe?token=${'x'.repeat(200)}.${'y'.repeat(43)}`;
const mail: Mail = {
  to: 'ann@example.com',
  subject: 'No. 7: Größe',
  text: 'Hello — Ann\n',
  html: '<p>Hello &mdash; Ann</p>',
  unsubscribe,
  messageId: '<7@agents.example.com>',
  headers: { 'List-Id': 'Daily <daily.agents.example.com>' },
};

/** Sends an email to a server with `options`. Returns how it failed. */
async function fail(options: Parameters<typeof startMailbox>[0], given = mail): Promise<SmtpFailed> {
  const mailbox = await startMailbox(options);
  const smtp = openSmtp(settings(mailbox.url));
  const failure = await smtp.send(given).catch((error) => error);
  smtp.close();
  await mailbox.close();
  assert.instance(failure, SmtpFailed);
  assert.not.match(inspect(failure, { depth: 9, showHidden: true }), /ann@|secret text/);
  return failure;
}

function settings(url: string): SmtpSettings {
  const from = 'Daily Agents <daily@example.com>';
  return parseSmtpSettings({ CATALOG_SMTP_URL: url, CATALOG_MAIL_FROM: from }) as SmtpSettings;
}

test('an email arrives as text and HTML, with the headers for unsubscribing in one click, unfolded, and no vacation program answers it', async () => {
  const mailbox = await startMailbox();
  const smtp = openSmtp(settings(mailbox.url));
  await smtp.send(mail);
  smtp.close();
  await mailbox.close();
  const [received] = mailbox.mails;
  assert.equal(
    [received?.recipient, received?.from?.text, received?.subject, received?.text, received?.html, received?.messageId],
    [mail.to, '"Daily Agents" <daily@example.com>', mail.subject, mail.text, mail.html, mail.messageId],
  );
  assert.match(received?.raw ?? '', `\r\nList-Unsubscribe: <${unsubscribe}>\r\n`);
  assert.match(received?.raw ?? '', '\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
  assert.match(received?.raw ?? '', '\r\nAuto-Submitted: auto-generated\r\n');
  assert.match(received?.raw ?? '', /^List-Id: Daily <daily\.agents\.example\.com>\r$/im);
});

const answer = (responseCode: number, text = 'secret text') => Object.assign(new Error(text), { responseCode });

test('an address that the server refuses permanently is told from one that it refuses for now', async () => {
  const permanent = await fail({ onRcptTo: (_address, _session, done) => done(answer(550, '5.1.1 secret text')) });
  assert.equal([permanent.outcome, permanent.status], ['refused', 550]);
  const temporary = await fail({ onRcptTo: (_address, _session, done) => done(answer(450)) });
  assert.equal([temporary.outcome, temporary.status], ['unsent', 450]);
});

test('a refused sender and a refused text say nothing about the address', async () => {
  assert.is((await fail({ onMailFrom: (_address, _session, done) => done(answer(550)) })).outcome, 'unsent');
  const refusedText = await fail({
    onData(stream, _session, done) {
      stream.resume().on('end', () => done(answer(554)));
    },
  });
  assert.equal([refusedText.outcome, refusedText.status], ['unsent', 554]);
});

test('a connection that breaks after the text leaves it unknown, and the email is not repeated', async () => {
  let texts = 0;
  const mailbox = await startMailbox({
    onData(stream) {
      texts += 1;
      stream.resume().on('end', () => mailbox.drop());
    },
  });
  const smtp = openSmtp(settings(mailbox.url));
  const failure = await smtp.send(mail).catch((error) => error);
  smtp.close();
  await mailbox.close();
  assert.equal([failure.outcome, texts], ['unknown', 1]);
});

test('a server that is away is a failure before anything was sent', async () => {
  const mailbox = await startMailbox();
  await mailbox.close();
  const smtp = openSmtp(settings(mailbox.url));
  const failure = await smtp.send(mail).catch((error) => error);
  smtp.close();
  assert.equal([failure.outcome, failure.code], ['unsent', 'ECONNREFUSED']);
  assert.match(failure.message, / an email \(ECONNREFUSED, CONN\)\. Check CATALOG_SMTP_URL\.$/);
});

test('an address with a line break adds no recipient and no header', async () => {
  const mailbox = await startMailbox();
  const smtp = openSmtp(settings(mailbox.url));
  const send = (to: string) => smtp.send({ ...mail, to }).catch((error) => error);
  const failures = [
    await send('ann@example.com\r\nBcc: eve@example.com'),
    await send('ann@example.com>\r\nRCPT TO:<eve@example.com'),
  ];
  smtp.close();
  await mailbox.close();
  for (const failure of failures) assert.instance(failure, SmtpFailed);
  assert.equal(
    mailbox.mails.map(({ recipient }) => recipient),
    [],
  );
});

test('a server on another host has to offer TLS before it gets an email', async () => {
  const mailbox = await startMailbox();
  // This address leads to the same machine, but it does not say so.
  const smtp = openSmtp(settings(mailbox.url.replace('127.0.0.1', '0.0.0.0')));
  const failure = await smtp.send(mail).catch((error) => error);
  smtp.close();
  await mailbox.close();
  assert.equal([failure.outcome, mailbox.mails.length], ['unsent', 0]);
});

test('the user and the password in the settings open the server', async () => {
  const tried: unknown[] = [];
  const mailbox = await startMailbox({
    ...{ authOptional: false, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] },
    onAuth({ username, password }, _session, done) {
      tried.push([username, password]);
      done(null, { user: username });
    },
  });
  const smtp = openSmtp(settings(mailbox.url.replace('//', '//us%40er:p%3Ass@')));
  await smtp.send(mail);
  smtp.close();
  await mailbox.close();
  assert.equal([tried, mailbox.mails.length], [[['us@er', 'p:ss']], 1]);
});

const readable: [name: string, environment: NodeJS.ProcessEnv, expected: unknown][] = [
  ['nothing', {}, null],
  ['an empty address', { CATALOG_SMTP_URL: ' ', CATALOG_MAIL_FROM: 'a@example.com' }, null],
  [
    'TLS with a user and a password',
    { CATALOG_SMTP_URL: 'smtps://us%40er:p%3Ass@mail.example.com', CATALOG_MAIL_FROM: 'a@example.com' },
    {
      host: 'mail.example.com',
      port: 465,
      secure: true,
      auth: { user: 'us@er', pass: 'p:ss' },
      from: { name: '', address: 'a@example.com' },
    },
  ],
  [
    'STARTTLS, a port, and a name in quotation marks',
    { CATALOG_SMTP_URL: 'smtp://[::1]:2525/', CATALOG_MAIL_FROM: '"Agents, daily" <a@example.com>' },
    { host: '::1', port: 2525, secure: false, from: { name: 'Agents, daily', address: 'a@example.com' } },
  ],
];
for (const [name, environment, expected] of readable) {
  test(`settings of SMTP: ${name}`, () => assert.equal(parseSmtpSettings(environment), expected));
}

test('without a port in the address, it is the usual one of the protocol', () => {
  const portOf = (url: string) => settings(url).port;
  assert.equal([portOf('smtps://example.com'), portOf('smtp://example.com')], [465, 587]);
});

test('a server that closes the connection at an address has not refused the address', () => {
  const { aboutAddress, outcome } = new SmtpFailed({ responseCode: 421, command: 'RCPT TO' }, false);
  assert.equal([aboutAddress, outcome], [false, 'unsent']);
});

const wrong: [url: string, from: string, named: RegExp][] = [
  ['https://user:s3cret@example.com', 'a@example.com', /^CATALOG_SMTP_URL is not valid/],
  ['smtps://user:s3cret@example.com/?logger=true', 'a@example.com', /^CATALOG_SMTP_URL/],
  ['smtps://user:s3cret%@example.com', 'a@example.com', /^CATALOG_SMTP_URL/],
  ['smtps://', 'nobody', /^CATALOG_SMTP_URL.*\nCATALOG_MAIL_FROM/],
  ['smtps://user:s3cret@example.com', '', /^CATALOG_MAIL_FROM/],
  ['smtps://user:s3cret@example.com', 'A\r\nBcc: <eve@example.com>', /^CATALOG_MAIL_FROM/],
];
for (const [url, from, named] of wrong) {
  test(`wrong settings of SMTP are named without the password: ${JSON.stringify([url, from])}`, () => {
    const environment = { CATALOG_SMTP_URL: url, CATALOG_MAIL_FROM: from };
    assert.throws(
      () => parseSmtpSettings(environment),
      (error: Error) => error.name === 'UsageError' && named.test(error.message) && !error.message.includes('s3cret'),
    );
  });
}

/** What servers answer to an address. Only an answer that says that there is no such mailbox may cost a reader later emails. */
const answers: [answer: string, outcome: string][] = [
  ['550 5.1.1 no such user', 'refused'],
  // Gmail answers with several lines.
  ['550-5.1.1 The account does not\n550 5.1.1 See our pages', 'refused'],
  ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found', 'refused'],
  ['550 5.1.2 Host unknown', 'refused'],
  ['550 No such user here', 'refused'],
  ['550 Unrouteable address', 'refused'],
  ['550 5.0.0 <ann@example.com>... User unknown', 'refused'],
  ['554 5.1.0 Recipient address rejected: mailbox not found', 'refused'],
  ['550 ann@example.com: Recipient address does not exist', 'refused'],
  ['550-5.7.1 our policy\n550 5.7.1 See our pages', 'unsent'],
  ['550 no', 'unsent'],
  ['550 relay not permitted', 'unsent'],
  ['550 Recipient address rejected: Access denied', 'unsent'],
  ['550 5.4.1 Recipient address rejected: Access denied', 'unsent'],
  ['550 5.7.1 Recipient unknown to our filter', 'unsent'],
  ['550 5.1.8 Sender address rejected: domain not found', 'unsent'],
  ['550 Sender address not found', 'unsent'],
  ['550 5.1.7 Bad sender', 'unsent'],
  ['552 5.2.2 mailbox full', 'unsent'],
  ['552 5.2.3 the mail is too large', 'unsent'],
  ['550 5.2.1 receiving mail at a rate that is too high', 'unsent'],
  ['450 no such user', 'unsent'],
];
for (const [response, outcome] of answers) {
  test(`an address that is answered with ${JSON.stringify(response)} counts as ${outcome}`, () => {
    const responseCode = Number(response.slice(0, 3));
    const failed = new SmtpFailed({ code: 'EENVELOPE', command: 'RCPT TO', responseCode, response }, false);
    assert.is(failed.outcome, outcome);
  });
}

test('a clock that is set back delays no email', async () => {
  const mailbox = await startMailbox();
  const pauses: number[] = [];
  const { now } = Date;
  let shift = 0;
  Date.now = () => now() + shift;
  try {
    const smtp = openSmtp(settings(mailbox.url), { wait: async (ms) => void pauses.push(ms) });
    await smtp.send(mail);
    shift = -3 * 3_600_000;
    await smtp.send({ ...mail, to: 'bob@example.com' });
    smtp.close();
  } finally {
    Date.now = now;
    await mailbox.close();
  }
  assert.is(mailbox.mails.length, 2);
  assert.ok(pauses.every((ms) => ms <= 200));
});

test('an email that may not be ended is not sent, also not as a part of the next one', async () => {
  const mailbox = await startMailbox();
  const smtp = openSmtp(settings(mailbox.url), { rateLimit: 1_000_000 });
  const failure = await smtp.send(mail, () => Promise.reject(new Error('the disk is full'))).catch((error) => error);
  assert.is(failure.outcome, 'unsent');
  await smtp.send({ ...mail, to: 'bob@example.com' });
  smtp.close();
  await mailbox.close();
  assert.equal(
    mailbox.mails.map(({ recipient, text }) => [recipient, text]),
    [['bob@example.com', mail.text]],
  );
});

test.run();
