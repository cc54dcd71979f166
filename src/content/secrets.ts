import { type Diagnostic, diagnose } from '../diagnostics.ts';
import { pathOf } from './files.ts';
import type { ParsedFolder } from './parse.ts';
import { secretFinding } from './texts.ts';

/**
 * The secrets in the texts of some folders that the fast check of every build does not know, or stopped before.
 *
 * Secretlint's recommended rules look for them, without network and without reading files. They take about 75 ms for
 * ten agents, most of it to load, so that they are loaded only here.
 */
export async function thoroughSecrets(folders: readonly ParsedFolder[]): Promise<Diagnostic[]> {
  const [{ lintSource }, { creator }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  const config = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] };
  const files = folders.flatMap(({ slug, texts, diagnostics }) =>
    [...texts].map(([name, text]) => ({
      slug,
      name,
      text,
      known: diagnostics.filter(({ code }) => code === secretCode),
    })),
  );
  const found = await Promise.all(
    files.map(async ({ slug, name, text, known }) => {
      const file = pathOf(slug, name);
      const { messages } = await lintSource({
        source: { content: text, filePath: file, ext: name.slice(name.lastIndexOf('.')), contentType: 'text' },
        options: { config, noPhysicFilePath: true, maskSecrets: true },
      });
      const hits = messages
        .filter(({ messageId, range: [from, to] }) => !isHarmless(messageId, text.slice(from, to)))
        .map(({ ruleId, range: [from, to] }) =>
          diagnose({ ...secretFinding(text, from, to - from, kindOf(ruleId)), text, file, slug }),
        );
      return hits.filter((hit, index) => ![...known, ...hits.slice(0, index)].some((other) => overlap(hit, other)));
    }),
  );
  return found.flat();
}

const secretCode = 'text/secret';

/** Placeholders and keys of documentation, as the fast check passes them too; a cloud account's number opens nothing. */
function isHarmless(messageId: string, secret: string): boolean {
  return messageId === 'AWSAccountID' || /EXAMPLE|:(?:[${<*]|password@|pass@)/.test(secret);
}

function overlap(a: Diagnostic, b: Diagnostic): boolean {
  return a.file === b.file && a.line === b.line && a.column < b.endColumn && b.column < a.endColumn;
}

/** What a rule of Secretlint looks for, from its name alone: its message might repeat a part of the secret. */
function kindOf(ruleId: string): string {
  const rule = ruleId.replace('@secretlint/secretlint-rule-', '');
  return kinds[rule] ?? `a key or a token (${rule})`;
}

const kinds: Record<string, string> = {
  '1password': 'a 1Password token',
  anthropic: 'an Anthropic key',
  aws: 'an Amazon key',
  basicauth: 'an address with a password',
  'database-connection-string': 'the address of a database with a password',
  gcp: 'a Google Cloud key',
  github: 'a GitHub token',
  linear: 'a Linear key',
  npm: 'an npm token',
  openai: 'an OpenAI key',
  privatekey: 'a private key',
  sendgrid: 'a SendGrid key',
  shopify: 'a Shopify key',
  slack: 'a Slack token',
};
