/**
 * The forms of keys and tokens with their names, for all checks. A form is the start of a secret with the fewest
 * characters that follow. Further characters belong to the secret too.
 *
 * No form has an unbounded quantifier (`*`, `+`, `{n,}`), so that the search takes linear time for any text.
 */
export const secretForms: readonly (readonly [name: string, form: string])[] = [
  // Key files
  ['a private key', '-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?!`)'],
  ['a PuTTY private key', 'PuTTY-User-Key-File-[0-9]:'],
  ['an age secret key', 'AGE-SECRET-KEY-(?:PQ-)?1[02-9A-Z]{50}'],
  ['a 1Password token', 'ops_eyJ[\\w+/=]{80}'],
  [
    'a 1Password secret key',
    'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}',
  ],
  // Clouds and hosts
  ['an Amazon access key', '(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['an Amazon Bedrock key', 'ABSK[A-Za-z0-9+/]{100}|bedrock-api-key-[A-Za-z0-9+/]{40}'],
  [
    'an Amazon secret key',
    '(?:aws|AWS|Aws)_?(?:secret|SECRET|Secret)_?(?:access|ACCESS|Access)_?(?:key|KEY|Key)["\']?\\s{0,4}[:=]\\s{0,4}\\\\{0,2}["\']?[A-Za-z0-9/+]{40}',
  ],
  ['an Alibaba Cloud key', 'LTAI[A-Za-z0-9]{20}(?![A-Za-z0-9])'],
  ['an Azure key', '(?:AccountKey|SharedAccessKey|accountkey|sharedaccesskey)=[A-Za-z0-9+/]{42}'],
  ['an Azure shared access signature', '[?&]sig=[A-Za-z0-9%+/]{42}'],
  ['an Azure client secret', '[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31}'],
  ['a Google key', 'AIza[\\w-]{35}'],
  ['a Google OAuth client secret', 'GOCSPX-[\\w-]{28}'],
  ['a Google OAuth token', 'ya29\\.[\\w-]{40}|1//0[A-Za-z0-9][\\w-]{40}'],
  ['a DigitalOcean token', 'do[opr]_v1_[0-9a-f]{64}'],
  ['a Cloudflare key', 'v1\\.0-[0-9a-f]{24}-[0-9a-f]{64}|cf(?:k|ut|at)_[A-Za-z0-9]{40}'],
  ['a Fly.io token', '(?:FlyV1 )?fm[12][a-z]?_[A-Za-z0-9+/=]{60}|fo1_[\\w-]{43}'],
  ['a Heroku key', 'HRKU-[\\w-]{36}'],
  ['a Netlify token', 'nf[pcoub]_[A-Za-z0-9]{36}'],
  ['a Render key', 'rnd_(?=[A-Za-z]{0,27}[0-9])[A-Za-z0-9]{24}'],
  ['a Vercel token', 'vc[pkair]_[A-Za-z0-9]{24}|vercel_blob_rw_[A-Za-z0-9]{16}'],
  ['a Tailscale key', 'tskey-[a-z]{3,10}-[\\w-]{20}'],
  ['a Scalingo token', 'tk-us-[\\w-]{48}'],
  // Repositories, packages and builds
  ['a GitHub token', 'gh[pousr]_[A-Za-z0-9]{36}|ghs_[\\w.-]{36}|github_pat_\\w{40}'],
  ['a GitLab token', '(?:gl(?:pat|dt|rt|rtr|ptt|ft|soat|imt|agent|cbt|ffct|oas|wt)-|GR1348941)[\\w-]{20}'],
  ['an Atlassian token', 'AT(?:ATT|CTT|BB)[A-Za-z0-9][\\w=-]{28}'],
  ['a Buildkite token', 'bkua_[0-9a-f]{40}'],
  ['a CircleCI token', 'CCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}'],
  ['a Sonar token', 'sq[apu]_[0-9a-f]{40}'],
  ['a Sourcegraph token', 'sg[pd]_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}'],
  ['an npm token', 'npm_[A-Za-z0-9]{36}|_authToken=(?![$<{])[\\w./+-]{20}'],
  ['a PyPI token', 'pypi-Ag[\\w-]{50}'],
  ['a RubyGems key', 'rubygems_[0-9a-f]{48}'],
  ['a crates.io token', 'cio[A-Za-z0-9]{32}(?![A-Za-z0-9])'],
  ['a NuGet key', 'oy2[a-z0-9]{43}(?![A-Za-z0-9])'],
  ['a Clojars token', 'CLOJARS_[a-z0-9]{60}'],
  ['a Docker token', 'dckr_[a-z]{2,4}_[\\w-]{27}'],
  ['a JFrog token', 'AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56}'],
  ['a Postman key', 'PM(?:AK|AT)-[0-9A-Za-z]{24}'],
  ['a Snyk token', 'snyk_(?:uat|sat)\\.[0-9a-f]{8}\\.[\\w.-]{20}'],
  ['a Cursor key', 'crsr_[0-9a-f]{64}'],
  // Models
  ['an Anthropic key', 'sk-ant-[\\w-]{20}'],
  ['an OpenRouter key', 'sk-or-(?:v1-)?[0-9a-f]{32}'],
  ['a Langfuse key', 'sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'],
  ['an OpenAI key', 'sk-(?:proj|svcacct|admin|service|None)-[\\w-]{32}|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}'],
  // DeepSeek, Moonshot and others have the same form.
  ['a key of a model provider', 'sk-(?=[A-Za-z]{0,31}[0-9])[A-Za-z0-9]{32}'],
  ['a Groq key', 'gsk_[A-Za-z0-9]{40}'],
  ['an xAI key', 'xai-[A-Za-z0-9]{40}'],
  ['a Perplexity key', 'pplx-[A-Za-z0-9]{32}'],
  ['a Replicate token', 'r8_[A-Za-z0-9]{37}'],
  ['a Hugging Face token', '(?:hf|api_org)_[A-Za-z0-9]{30}'],
  ['a Fireworks key', 'fw_(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{22}'],
  ['a Together key', 'tgp_v1_[\\w-]{40}'],
  ['a Cerebras key', 'csk-[a-z0-9]{40}'],
  ['an NVIDIA key', 'nvapi-[\\w-]{60}'],
  ['a LangSmith key', 'lsv2_(?:pt|sk)_[0-9a-f]{32}'],
  ['an ElevenLabs key', 'sk_[0-9a-f]{48}'],
  ['a Pinecone key', 'pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40}'],
  ['a Tavily key', 'tvly-(?:dev-|prod-)?(?=[A-Za-z]{0,31}[0-9])[A-Za-z0-9]{32}'],
  ['a Firecrawl key', 'fc-[0-9a-f]{32}'],
  ['an E2B key', 'e2b_[0-9a-f]{40}'],
  ['a Jina key', 'jina_[0-9a-f]{32}'],
  // Data and operations
  ['a Databricks token', 'dapi[0-9a-f]{32}'],
  ['a Datadog key', 'dd(?:app|api|pat)_[A-Za-z0-9]{32}'],
  ['a Doppler token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40}'],
  ['a Dynatrace token', 'dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'],
  ['a Grafana token', 'glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32}'],
  ['a HashiCorp Vault token', 'hv[sbr]\\.[\\w-]{24}'],
  ['a Terraform Cloud token', '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60}'],
  ['a Neon key', 'napi_[a-z0-9]{60}'],
  ['a New Relic key', 'NRAK-[A-Z0-9]{27}|NR(?:II|IQ)-[\\w-]{32}|[0-9a-f]{36}NRAL'],
  ['an Okta token', 'SSWS 00[\\w-]{38}'],
  ['a PlanetScale secret', 'pscale_(?:tkn|pw|oauth)_[\\w=.-]{32}'],
  ['a PostHog key', 'phx_[A-Za-z0-9]{43}'],
  ['a Prefect key', 'pn[ub]_[A-Za-z0-9]{36}'],
  ['a Pulumi token', 'pul-[0-9a-f]{40}'],
  ['a Sentry token', 'sntrys_[\\w+/=-]{60}|sntryu_[0-9a-f]{64}'],
  ['a Supabase key', 'sbp_(?:oauth_)?[0-9a-f]{40}|sb_secret_[\\w-]{20}'],
  ['an Aiven password', 'AVN[SU]_[\\w+/-]{19}'],
  ['a Mapbox secret token', 'sk\\.eyJ[\\w-]{40}'],
  [
    'an address with a password',
    '://(?<user>[^\\s/:@"`<>?#\\\\]{0,128}):(?!(?:[$<{*]|(?:password|passwd|pass|pwd|pw|secret|PASSWORD|PASS|\\k<user>)@))[^\\s/@"`<>?#\\\\]{3,256}@[\\w[]',
  ],
  ['an address with a password', '://[^\\s/:@]{8,256}:x-oauth-basic@'],
  ['a signed token (JWT)', '(?:(?<![\\w-])eyJ[\\w-]{10,8000}|(?<=_)eyJ[\\w-]{10,600})\\.eyJ[\\w-]{10}'],
  // Mail, chat and phone
  ['a Discord bot token', '[MNO][A-Za-z0-9_-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27}'],
  ['a Discord webhook', 'discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/[\\w-]{40}'],
  ['a Slack token', 'xox[abceoprs](?:\\.xox[bp])?-[\\w-]{10}|xapp-[0-9]-[\\w-]{20}|xwfp-[\\w-]{20}'],
  ['a Slack webhook', 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[TE]\\w{6,12}/[AB]?\\w{6,16}/\\w{16}'],
  ['a Microsoft Teams webhook', '\\.webhook\\.office\\.com/webhookb2/[0-9a-f]{8}-[0-9a-f-]{27}@'],
  ['a Telegram bot token', '[0-9]{8,10}:AA[\\w-]{33}'],
  ['a Twilio key', 'SK[0-9a-f]{32}(?![A-Za-z0-9])'],
  ['a SendGrid key', 'SG\\.[\\w-]{16,64}\\.[\\w-]{16}'],
  ['a Mailgun key', 'key-[0-9a-f]{32}(?![A-Za-z0-9])|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])'],
  ['a Mailchimp key', '[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9-])|md-(?=[A-Za-z_-]{0,21}[0-9])[\\w-]{22}(?![\\w-])'],
  ['a Brevo key', 'xkeysib-[0-9a-f]{64}'],
  ['a Resend key', 're_[A-Za-z0-9]{8}_[A-Za-z0-9]{20}'],
  // Work and money
  ['an Airtable token', 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}'],
  ['an Asana token', '[0-9]/[0-9]{13,17}/[0-9]{13,17}:[0-9a-f]{32}'],
  ['a Contentful token', 'CFPAT-[\\w-]{43}'],
  ['a Dropbox token', 'sl\\.(?:u\\.)?[\\w-]{100}'],
  ['a Figma token', 'fig[dou][rh]?_[\\w-]{38}'],
  ['a HubSpot token', 'pat-[a-z]{2,3}[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'],
  ['a LaunchDarkly key', 'sdk-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}'],
  ['a Linear key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32}'],
  ['a Notion token', 'ntn_[A-Za-z0-9]{40}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])'],
  ['a Typeform token', 'tfp_[\\w.=-]{40}'],
  [
    'a Plaid token',
    'access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  ],
  ['a PayPal or Braintree token', 'access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}'],
  ['a Razorpay key', 'rzp_(?:live|test)_[A-Za-z0-9]{14}'],
  ['a Shopify key', 'shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}'],
  ['a Square token', 'sq0[a-z]{3}-[\\w-]{22}|EAAA[EFl][\\w-]{59}'],
  ['a Stripe key', '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16}'],
  ['a webhook signing secret', 'whsec_[A-Za-z0-9+/=]{24}'],
];

/** Part of a text that looks like a key or a token. */
interface Secret {
  /** In UTF-16 units. */
  offset: number;
  /** To the end of the secret or, for a private key, of its last line. */
  length: number;
  /** The kind of secret, with an article. */
  name: string;
}

/** A form starts at the start of a word, or with a character that ends one. */
const boundary = '(?:(?<![A-Za-z0-9])|(?=[?&:.-]))';
const anyForm = new RegExp(`${boundary}(?:${secretForms.map(([, form]) => form).join('|')})`, 'g');
const singleForms = secretForms.map(([name, form]) => [name, new RegExp(`${boundary}(?:${form})`, 'y')] as const);

/** Every secret has a word of at least this many characters, except for key files and addresses with a password. */
const shortestWord = 15;

/** How far from its long name a secret may start, as in `aws_secret_access_key = …`, in UTF-16 units. */
const longestRest = 16;

/**
 * Returns the parts of a text that may contain secrets: its long words, each with the words beside it. To find them, this
 * reads about one character in fifteen of the rest, which saves the search for all forms in most of a text.
 */
function* suspects(text: string): Generator<[from: number, to: number]> {
  if (text.includes('-----BEGIN') || /:\/\/[^\s/@]{1,385}@/.test(text)) return yield [0, text.length];
  // Past the ends of the text, charCodeAt gives NaN, which counts as a space.
  const isSpace = (at: number) => !(text.charCodeAt(at) > 0x20);
  let [from, to] = [0, 0];
  for (let end = shortestWord - 1; end < text.length; end += shortestWord) {
    let start = end;
    while (start > end - shortestWord && !isSpace(start)) start -= 1;
    const isLong = start === end - shortestWord;
    end = start;
    if (!isLong) continue;
    while (!isSpace(end + 1)) end += 1;
    if (start > to) {
      if (to > 0) yield [from, to];
      while (!isSpace(start)) start -= 1;
      while (start >= to && isSpace(start)) start -= 1;
      while (start >= to && !isSpace(start)) start -= 1;
      from = start + 1;
    }
    to = Math.min(end + longestRest, text.length);
    while (!isSpace(to)) to += 1;
  }
  if (to > 0) yield [from, to];
}

/** Finds the secrets in a text, in order, without placeholders and the keys of documentation. Takes linear time. */
export function findSecrets(text: string): Secret[] {
  const secrets: Secret[] = [];
  let end = 0;
  for (const [from, to] of suspects(text)) {
    const part = text.slice(0, to);
    anyForm.lastIndex = Math.max(from, end);
    for (let match = anyForm.exec(part); match !== null; match = anyForm.exec(part)) {
      const offset = match.index;
      end = endOf(text, offset + match[0].length, match[0]);
      anyForm.lastIndex = end;
      if (!isPlaceholder(text.slice(offset, end)))
        secrets.push({ offset, length: end - offset, name: nameAt(text, offset) });
    }
  }
  return secrets;
}

/** Masks all but the first four characters of each secret. The length and the lines of the text stay the same. */
export function maskSecrets(text: string): string {
  let shown = '';
  let done = 0;
  for (const { offset, length } of findSecrets(text)) {
    const hidden = text.slice(offset + 4, offset + length).replace(/[^\n]/g, '*');
    shown += text.slice(done, offset + 4) + hidden;
    done = offset + length;
  }
  return shown + text.slice(done);
}

/** Finds the end of a secret. `start` is the part that a form matched, which ends at `from`. */
function endOf(text: string, from: number, start: string): number {
  const closing = start.startsWith('-----BEGIN')
    ? /-----END [A-Z0-9 ]{1,60}-----/
    : start.startsWith('PuTTY')
      ? /Private-MAC: \w+/
      : null;
  const close = closing?.exec(text.slice(from, from + longestKeyFile));
  if (close) return from + close.index + close[0].length;
  const rest = closing === null ? /[\w~+/%=.-]*/y : /(?:\s{0,40}[\w+/=\\]{16,4096}){0,500}/y;
  rest.lastIndex = from;
  return from + (rest.exec(text)?.[0].replace(/\.$/, '').length ?? 0);
}

/** How far the end of a key file is searched for, in UTF-16 units. */
const longestKeyFile = 32_768;

/** Whether this is an example from documentation. */
function isPlaceholder(secret: string): boolean {
  return /EXAMPLE|[Yy][Oo][Uu][Rr][_-]|placeholder|redacted|1234567890|abcdefghij|[Xx]{6}|0{10}/.test(
    secret.slice(0, 400),
  );
}

function nameAt(text: string, offset: number): string {
  for (const [name, form] of singleForms) {
    form.lastIndex = offset;
    if (form.test(text)) return name;
  }
  return 'a secret';
}
