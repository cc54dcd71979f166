import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnose } from '../../src/diagnostics/diagnostic.ts';
import { findSecrets, maskSecrets } from '../../src/text-safety/find-secrets.ts';
import { secretForms } from '../../src/text-safety/secret-patterns.ts';
import { any, caps, digits, hex, low, shortestSecrets } from '../support/shortest-secrets.ts';

/**
 * Which keys and tokens are recognized and masked. All are invented, and assembled at run time so that scanners do not
 * report this file as a leak.
 */

const uuid = [hex(8), 'a1b2', '4c3d', '9e8f', hex(12)].join('-');

/** An example of each kind of secret; the parts are joined without separators. */
const examples: [name: string, ...parts: string[]][] = [
  [
    'a private key',
    '-----BEGIN OPENSSH ',
    `PRIVATE KEY-----\n${any(64)}\n${any(64)}\n-----END OPENSSH `,
    'PRIVATE KEY-----',
  ],
  ['a private key', '-----BEGIN ', `PRIVATE KEY-----\\n${any(64)}\\n-----END `, 'PRIVATE KEY-----'],
  ['a private key', '-----BEGIN PGP ', `PRIVATE KEY BLOCK-----\n\n${any(64)}\n-----END PGP `, 'PRIVATE KEY BLOCK-----'],
  ['a private key', '-----BEGIN RSA ', `PRIVATE KEY-----\n${any(64)}\n${any(64)}`],
  [
    'a PuTTY private key',
    'PuTTY-User-',
    `Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${any(64)}\nPrivate-MAC: ${hex(64)}`,
  ],
  ['an age secret key', 'AGE-SECRET-', `KEY-1${caps(58)}`],
  ['a 1Password token', 'ops_', `eyJ${any(250)}`],
  ['a 1Password secret key', 'A3-', `${caps(6)}-${caps(6)}-${caps(5)}-${caps(5)}-${caps(5)}-${caps(5)}`],
  ['an Amazon access key', 'AK', `IA${caps(16)}`],
  ['an Amazon access key', 'AS', `IA${caps(16)}`],
  ['an Amazon Bedrock key', 'AB', `SK${any(128)}`],
  ['an Amazon secret key', 'aws_secret', `_access_key = "${any(40)}`],
  ['an Alibaba Cloud key', 'LT', `AI${any(20)}`],
  ['an Azure key', 'Account', `Key=${any(86)}==`],
  ['an Azure shared access signature', '&si', `g=${any(43)}%3D`],
  ['an Azure client secret', 'a1b', `8Q~${any(34)}`],
  ['a Google key', 'AI', `za${any(35)}`],
  ['a Google OAuth client secret', 'GOC', `SPX-${any(28)}`],
  ['a Google OAuth token', 'ya', `29.${any(120)}`],
  ['a Google OAuth token', '1/', `/0${any(60)}`],
  ['a DigitalOcean token', 'dop', `_v1_${hex(64)}`],
  ['a Cloudflare key', 'v1', `.0-${hex(24)}-${hex(146)}`],
  ['a Fly.io token', 'Fly', `V1 fm2_${any(200)}`],
  ['a Heroku key', 'HR', `KU-AA${any(58)}`],
  ['a Netlify token', 'nf', `p_${any(36)}`],
  ['a Render key', 'rn', `d_${any(28)}`],
  ['a Vercel token', 'vercel', `_blob_rw_${any(16)}_${any(30)}`],
  ['a Tailscale key', 'ts', `key-auth-${any(12)}CNTRL-${any(32)}`],
  ['a Scalingo token', 'tk', `-us-${any(48)}`],
  ['a GitHub token', 'gh', `p_${any(36)}`],
  ['a GitHub token', 'github', `_pat_${any(22)}_${any(59)}`],
  ['a GitLab token', 'gl', `pat-${any(20)}`],
  ['a GitLab token', 'gl', `pat-${any(27)}.01.${low(9)}`],
  ['a GitLab token', 'gl', `rt-${any(20)}`],
  ['a GitLab token', 'gl', `dt-${any(20)}`],
  ['a GitLab token', 'GR', `1348941${any(20)}`],
  ['an Atlassian token', 'AT', `ATT3${any(180)}=${hex(8)}`],
  ['a Buildkite token', 'bk', `ua_${hex(40)}`],
  ['a CircleCI token', 'CCI', `PAT_${any(22)}_${hex(40)}`],
  ['a Sonar token', 'sq', `p_${hex(40)}`],
  ['a Sourcegraph token', 'sg', `p_${hex(40)}`],
  ['an npm token', 'np', `m_${any(36)}`],
  ['an npm token', '_auth', `Token=${uuid}`],
  ['a PyPI token', 'py', `pi-AgEIcHlwaS5vcmc${any(120)}`],
  ['a RubyGems key', 'ruby', `gems_${hex(48)}`],
  ['a crates.io token', 'ci', `o${any(32)}`],
  ['a NuGet key', 'oy', `2${low(43)}`],
  ['a Clojars token', 'CLO', `JARS_${low(60)}`],
  ['a Docker token', 'dckr', `_pat_${any(27)}`],
  ['a JFrog token', 'AK', `Cp${any(69)}`],
  ['a Postman key', 'PM', `AK-${hex(24)}-${hex(34)}`],
  ['a Snyk token', 'sn', `yk_uat.${hex(8)}.${any(40)}`],
  ['a Cursor key', 'cr', `sr_${hex(64)}`],
  ['an Anthropic key', 'sk-', `ant-api03-${any(93)}AA`],
  ['an OpenRouter key', 'sk-', `or-v1-${hex(64)}`],
  ['a Langfuse key', 'sk-', `lf-${uuid}`],
  ['an OpenAI key', 'sk-', `proj-${any(74)}T3Blbk${any(74)}`],
  ['an OpenAI key', 'sk-', `${any(20)}T3Blbk`, `FJ${any(20)}`],
  ['a key of a model provider', 'sk-', hex(32)],
  ['a Groq key', 'gs', `k_${any(52)}`],
  ['an xAI key', 'xa', `i-${any(80)}`],
  ['a Perplexity key', 'pp', `lx-${any(48)}`],
  ['a Replicate token', 'r', `8_${any(37)}`],
  ['a Hugging Face token', 'h', `f_${any(34)}`],
  ['a Fireworks key', 'f', `w_${any(24)}`],
  ['a Together key', 'tg', `p_v1_${any(43)}`],
  ['a Cerebras key', 'cs', `k-${low(48)}`],
  ['an NVIDIA key', 'nv', `api-${any(64)}`],
  ['a LangSmith key', 'ls', `v2_pt_${hex(32)}_${hex(10)}`],
  ['an ElevenLabs key', 's', `k_${hex(48)}`],
  ['a Pinecone key', 'pc', `sk_${any(6)}_${any(63)}`],
  ['a Tavily key', 'tv', `ly-dev-${any(32)}`],
  ['a Firecrawl key', 'f', `c-${hex(32)}`],
  ['an E2B key', 'e2', `b_${hex(40)}`],
  ['a Jina key', 'ji', `na_${hex(32)}${any(28)}`],
  ['a Databricks token', 'da', `pi${hex(32)}-2`],
  ['a Datadog key', 'dd', `app_${any(34)}`],
  ['a Doppler token', 'd', `p.pt.${any(43)}`],
  ['a Doppler token', 'd', `p.st.prd.${any(43)}`],
  ['a Dynatrace token', 'dt', `0c01.${caps(24)}.${caps(64)}`],
  ['a Grafana token', 'gl', `sa_${any(32)}_${hex(8)}`],
  ['a Grafana token', 'gl', `c_${any(120)}==`],
  ['a HashiCorp Vault token', 'hv', `s.${any(24)}`],
  ['a HashiCorp Vault token', 'hv', `b.${any(140)}`],
  ['a Terraform Cloud token', any(14), `.atl`, `asv1.${any(67)}`],
  ['a Neon key', 'na', `pi_${low(64)}`],
  ['a New Relic key', 'NR', `AK-${caps(27)}`],
  ['an Okta token', 'SS', `WS 00${any(40)}`],
  ['a PlanetScale secret', 'ps', `cale_tkn_${any(43)}`],
  ['a PostHog key', 'ph', `x_${any(43)}`],
  ['a Prefect key', 'pn', `u_${any(36)}`],
  ['a Pulumi token', 'pu', `l-${hex(40)}`],
  ['a Sentry token', 'sn', `trys_${any(120)}=_${any(43)}`],
  ['a Supabase key', 'sb', `p_${hex(40)}`],
  ['a Supabase key', 'sb', `_secret_${any(31)}`],
  ['an Aiven password', 'AV', `NS_${any(19)}`],
  ['a Mapbox secret token', 'sk', `.eyJ${any(80)}.${any(22)}`],
  ['an address with a password', ':', `//:${any(12)}@cache.internal`],
  ['an address with a password', ':', `//ida:${any(12)}@db.internal/stock`],
  ['a signed token (JWT)', 'ey', `J${any(34)}.eyJ${any(400)}.${any(43)}`],
  ['a Discord bot token', 'M', `TI${any(23)}.G${any(5)}.${any(38)}`],
  ['a Discord webhook', 'discord.com/api', `/webhooks/${digits(18)}/${any(68)}`],
  ['a Slack token', 'xo', `xb-${digits(12)}-${digits(13)}-${any(24)}`],
  ['a Slack token', 'xa', `pp-1-${caps(11)}-${digits(13)}-${hex(64)}`],
  ['a Slack webhook', 'hooks.slack', `.com/services/T${caps(8)}/B${caps(8)}/${any(24)}`],
  ['a Microsoft Teams webhook', '', `.webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/${hex(32)}/${uuid}`],
  ['a Telegram bot token', digits(10), `:A`, `A${any(33)}`],
  ['a Twilio key', 'S', `K${hex(32)}`],
  ['a SendGrid key', 'S', `G.${any(22)}.${any(43)}`],
  ['a Mailgun key', 'ke', `y-${hex(32)}`],
  ['a Mailchimp key', hex(32), `-u`, `s12`],
  ['a Brevo key', 'xk', `eysib-${hex(64)}-${any(16)}`],
  ['a Resend key', 'r', `e_${any(8)}_${any(24)}`],
  ['an Airtable token', 'pa', `t${any(14)}.${hex(64)}`],
  ['an Asana token', '2', `/${digits(16)}/${digits(16)}:${hex(32)}`],
  ['a Contentful token', 'CF', `PAT-${any(43)}`],
  ['a Dropbox token', 's', `l.u.${any(200)}`],
  ['a Figma token', 'fi', `gd_${any(40)}`],
  ['a HubSpot token', 'pa', `t-eu1-${uuid}`],
  ['a LaunchDarkly key', 'sd', `k-${uuid}`],
  ['a Linear key', 'li', `n_api_${any(40)}`],
  ['a Notion token', 'nt', `n_${digits(11)}${any(35)}`],
  ['a Notion token', 'sec', `ret_${any(43)}`],
  ['a Typeform token', 'tf', `p_${any(44)}_${any(14)}`],
  ['a Plaid token', 'acc', `ess-production-${uuid}`],
  ['a PayPal or Braintree token', 'access_', `token$production$${low(16)}$${hex(32)}`],
  ['a Razorpay key', 'rz', `p_live_${any(14)}`],
  ['a Shopify key', 'sh', `pat_${hex(32)}`],
  ['a Square token', 'sq', `0atp-${any(22)}`],
  ['a Stripe key', 'sk', `_live_${any(24)}`],
  ['a Stripe key', 'rk', `_test_${any(99)}`],
  ['a webhook signing secret', 'wh', `sec_${any(32)}`],
];

test('every kind of secret is found whole, and masked except for its first four characters', () => {
  for (const [name, ...parts] of examples) {
    const secret = parts.join('');
    const before = /^\w/.test(secret) ? 'Before ' : 'before';
    const text = `${before}${secret}, and after.\n`;
    const found = findSecrets(text);
    assert.equal(
      found.map((it) => [it.name, text.slice(it.offset, it.offset + it.length)]),
      [[name, secret]],
      secret,
    );
    const masked = secret.slice(0, 4) + secret.slice(4).replace(/[^\n]/g, '*');
    assert.is(maskSecrets(text), `${before}${masked}, and after.\n`);
    assert.is(maskSecrets(JSON.stringify({ key: secret })).includes(secret.slice(-8)), false, name);
  }
  const shown = new Set(examples.map(([name]) => name));
  assert.equal(
    secretForms.map(([name]) => name).filter((name) => !shown.has(name)),
    [],
  );
});

test('the shortest secret of each form is found, but not with one character less', () => {
  for (const [name, secret] of shortestSecrets) {
    const named = (text: string) => findSecrets(text).filter((it) => it.name === name);
    assert.equal(named(`${secret} `), [{ offset: 0, length: secret.length, name }], `${name}: ${secret}`);
    assert.equal(named(`${secret.slice(0, -1)} `), [], `${name} cut short: ${secret}`);
  }
  const covered = new Set(shortestSecrets.map(([name]) => name));
  assert.equal(
    secretForms.map(([name]) => name).filter((name) => !covered.has(name)),
    [],
  );
});

const harmless = [
  '{"url":"https://press.example?a=1&b=2","email":"desk@press.example"}',
  '`AKIA<16 characters>`, AKIAIOSFODNN7EXAMPLE, ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX, sk-ant-your-key-goes-here-please',
  'gsk_<YOUR_KEY>, xai-…, r8_YOUR_TOKEN, pplx-API_KEY, glpat-<token>, npm_token, hf_token, dapi<32 hex digits>, whsec_…',
  'sk-learn-is-a-library-for-machine-learning-in-python, secret_santa_list_for_the_whole_team, re_export_everything_from_here',
  `postgres://user:<PASSWORD>@db.example, https://user:password@db.example, https://press.example:8443/a@b, \${USER}:\${PASS}@host`,
  `//registry.example/:_authToken=\${NPM_TOKEN}, SharedAccessKey=<key>, Authorization: Bearer <token>`,
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301 and 9fceb02d0ae598e95dc970b74767f19372d60e8f and e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----',
  'pat-1, key-value-store-with-many-replicas, dp.st and hvs.example, pub_sub_0123456789, md-to-html-converter-v2',
];
test('placeholders, identifiers, hashes and images are not secrets', () => {
  for (const text of harmless) assert.equal(findSecrets(text), [], text);
  let state = 1;
  const bytes = Buffer.from(
    Array.from({ length: 150_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
  assert.equal(findSecrets(`![A picture](data:image/png;base64,${bytes.toString('base64')})`), []);
  assert.equal(findSecrets(Buffer.alloc(50_000).toString('base64')), []);
});

test('the start of a secret is not one, so that texts can show what one looks like', () => {
  // Slack's tokens may have 15 characters.
  const found = examples
    .filter(([name]) => name !== 'a Slack token')
    .map(([, ...parts]) => parts.join('').slice(0, 16))
    .filter((beginning) => findSecrets(`${beginning} and so on`).length > 0);
  assert.equal(found, []);
});

test('no text makes the search slow: no form has an unbounded repetition, and long repetitions of all starts are fast', () => {
  for (const [name, form] of secretForms) {
    assert.not.match(form.replace(/\\.|\[(?:[^\]\\]|\\.)*\]/g, '_'), /[*+]|,\}/, name);
  }
  const beginnings = examples.map(([, ...parts]) => parts.join('').slice(0, 24));
  const pieces = [
    ...beginnings.map((text) => text.slice(0, 6)),
    ...beginnings,
    'eyJ-',
    'eyJaaaaaaaaaaaa.',
    '://a:',
    'a',
    '0',
    '~',
  ];
  // If the time were quadratic, each of these would take seconds. `eyJ-` alone took twelve.
  for (const piece of pieces) findSecrets(piece.repeat(Math.ceil(65_536 / piece.length)));
  for (const piece of ['eyJ-', 'eyJaaaaaaaaaaaa.', '://a:', '-----BEGIN PRIVATE KEY-----']) {
    maskSecrets(piece.repeat(Math.ceil(262_144 / piece.length)));
  }
});

test('a diagnostic shows no secret, neither in its message nor in its frame, including the lines around it', () => {
  const secrets = examples.map(([, ...parts]) => parts.join('')).filter((secret) => !secret.includes('\n'));
  for (const secret of secrets) {
    const { frame, message, hint } = diagnose({
      code: 'front-matter/value',
      file: 'agents/one/agent.md',
      text: `first: ${secret}\nsecond: wrong\nthird: "${secret}"\n`,
      location: { line: 2, column: 9, length: 5 },
      message: `\`second\` is "${secret}".`,
      hint: `Did you mean ${secret}?`,
    });
    assert.ok(frame.includes('second: wrong'), frame);
    for (const text of [frame, message, hint]) assert.not.ok(text.includes(secret.slice(-6)), text);
  }
  const [, ...key] = examples[0] ?? [];
  const text = `key: |\n${key.join('')}\n`;
  const { frame } = diagnose({
    code: 'text/secret',
    file: 'a',
    text,
    location: { line: 3, column: 1, length: 3 },
    message: '',
    hint: '',
  });
  assert.is(
    frame,
    [`  2 | ----${'*'.repeat(31)}`, `> 3 | ${'*'.repeat(64)}`, '    | ^^^', `  4 | ${'*'.repeat(64)}`].join('\n'),
  );
});

test.run();
