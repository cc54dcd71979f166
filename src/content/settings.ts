import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { succeeds, UsageError } from '../lib/errors.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import {
  type Diagnostic,
  diagnose,
  type Location,
  locationAt,
  type Wording,
} from '../schema/diagnostics/diagnostic.ts';
import { locationsInYaml } from '../schema/diagnostics/yaml-location.ts';
import { pathName } from '../schema/fields.ts';
import { fileMessages, settingsMessages } from '../schema/messages/files.ts';
import { explain } from '../schema/messages/values.ts';
import { type KnownVocabulary, type Settings, settingsSource } from '../schema/settings.ts';
import { readJson } from './parse/json-errors.ts';
import { parseYaml } from './parse/yaml.ts';
import { maxFileBytes, wrongEncoding } from './read.ts';
import { textFindings, valueFindings, withoutFound } from './text-checks.ts';

/** The name of the settings file in a catalog's folder. */
export const settingsFile = 'catalog.config.json';

/** The settings that flags and environment variables can override. */
export interface SettingsOverrides {
  /** From `--base-url`. */
  baseUrl?: string | undefined;
  /** From `--runtime-url`. */
  runtimeUrl?: string | undefined;
}

/**
 * Reads catalog.config.json in the folder `cwd`. Flags override `environment`, which overrides the file.
 *
 * Throws ContentError if the file is missing or invalid, and UsageError if an override is invalid.
 */
export function loadSettings(cwd: string, overrides: SettingsOverrides, environment: NodeJS.ProcessEnv): Settings {
  const { settings, diagnostics } = checkSettings(cwd, overrides, environment);
  if (diagnostics.length > 0) throw new ContentError(diagnostics);
  return settings;
}

/**
 * Reads the settings and returns their problems with them. The settings are complete: each missing or invalid one has a
 * default. The vocabulary has the names that agents may use; names whose setting is invalid are unknown.
 *
 * Throws UsageError if an override is invalid.
 */
export function checkSettings(cwd: string, overrides: SettingsOverrides, environment: NodeJS.ProcessEnv) {
  const { value, diagnostics } = readSettings(cwd);
  const valid = diagnostics.length === 0 ? settingsSource.parse(value) : null;
  const { source, vocabulary } = valid === null ? parseInvalid(value) : { source: valid, vocabulary: valid };
  const runtime =
    override('--runtime-url', overrides.runtimeUrl) ?? override('CATALOG_RUNTIME_URL', environment.CATALOG_RUNTIME_URL);
  const { $schema: _schema, runtimeUrl, ...rest } = source;
  const address = givenBaseUrl(overrides.baseUrl, environment) ?? rest.baseUrl;
  const settings = {
    ...rest,
    baseUrl: address,
    runtimeUrl: runtime ?? (runtimeUrl === undefined ? address : runtimeUrl),
  };
  return { settings: deepFreeze(settings), vocabulary, diagnostics };
}

type Source = ReturnType<typeof settingsSource.parse>;

/** The values of missing and invalid settings, so that the agents can still be checked. Others have a default. */
const fallbacks = {
  // No rule may look for English words in a catalog that mistyped its language.
  language: 'und',
  title: 'Untitled',
  tagline: 'Untitled',
  description: 'Untitled',
  publisher: { name: 'Unknown', url: 'https://example.com' },
  feedId: 'tag:example.com,2026:catalog',
  baseUrl: 'https://example.com',
  categories: {},
  difficulties: [],
  runtimes: [],
};

function parseInvalid(value: unknown): { source: Source; vocabulary: KnownVocabulary } {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const parsed = (values: Record<string, unknown>) =>
    Object.entries(settingsSource.shape).flatMap(([key, schema]) => {
      const { data } = schema.safeParse(values[key]);
      return data === undefined ? [] : [[key, data] as const];
    });
  const valid = Object.fromEntries(parsed(fields));
  const source: Source = Object.assign({} as Source, Object.fromEntries(parsed({})), fallbacks, valid);
  const isValid = (key: string) => Object.hasOwn(valid, key);
  const { categories } = fields;
  const named = typeof categories === 'object' && categories !== null && !Array.isArray(categories);
  // A category without a label is still a category. But if a key is not a slug, its intended name is unknown.
  if (!isValid('categories') && named && Object.keys(categories).every((key) => pathName.safeParse(key).success)) {
    source.categories = Object.fromEntries(
      Object.keys(categories).map((key) => [key, { label: key, description: key }]),
    );
  }
  if (!isValid('rules')) source.rules = validRules(fields.rules);
  return {
    source,
    vocabulary: {
      categories: Object.keys(source.categories).length > 0 ? source.categories : null,
      difficulties: isValid('difficulties') ? source.difficulties : null,
      runtimes: isValid('runtimes') ? source.runtimes : null,
      rules: source.rules,
    },
  };
}

/** Returns the valid part of the setting `rules`, so that a mistake in one rule does not undo what the others say. */
function validRules(setting: unknown): Source['rules'] {
  const { rules } = settingsSource.shape;
  const entries = typeof setting === 'object' && setting !== null ? Object.entries(setting) : [];
  return Object.fromEntries(entries.filter(([code, severity]) => rules.safeParse({ [code]: severity }).success));
}

/**
 * Returns the address in `--base-url` or `CATALOG_BASE_URL`; undefined if neither is set.
 *
 * Throws UsageError if it is not a valid address.
 */
export function givenBaseUrl(flag: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  return override('--base-url', flag) ?? override('CATALOG_BASE_URL', environment.CATALOG_BASE_URL);
}

function override(name: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  const result = settingsSource.shape.baseUrl.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${name} is ${JSON.stringify(value)}; it has to be ${result.error.issues[0]?.message}.`);
}

/** Reads as much of the settings file as possible, with its problems. */
function readSettings(cwd: string): { value: unknown; diagnostics: Diagnostic[] } {
  let bytes: Buffer;
  try {
    const path = join(cwd, settingsFile);
    const stats = statSync(path);
    if (stats.size > maxFileBytes) throw Object.assign(new Error(), { code: 'EFBIG' });
    // Reading a named pipe would wait until another program writes to it.
    if (stats.isFIFO()) throw Object.assign(new Error(), { code: 'a named pipe' });
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const wording =
      code === 'ENOENT'
        ? settingsMessages.missing(settingsFile, cwd)
        : settingsMessages.unreadable(settingsFile, cwd, code);
    return { value: undefined, diagnostics: [diagnose({ code: 'settings/missing', file: settingsFile, ...wording })] };
  }
  const wrong = wrongEncoding(settingsFile, bytes);
  return wrong === null
    ? parseSettings(bytes.toString('utf8'))
    : { value: undefined, diagnostics: [diagnose({ code: 'settings/json', file: settingsFile, ...wrong })] };
}

function parseSettings(bytes: string): { value: unknown; diagnostics: Diagnostic[] } {
  // In JSON, CR is white space. Git on Windows and many editors write it at the ends of lines.
  const marked = bytes.replace(/\r\n?/g, '\n');
  const text = marked.replace(/^\uFEFF/, '');
  const fail = (code: Diagnostic['code'], location: Location, wording: Wording) =>
    diagnose({ code, file: settingsFile, text, location, ...wording });
  if (text.trim() === '') {
    const empty = fail('settings/json', locationAt(text, 0), settingsMessages.empty(settingsFile));
    return { value: undefined, diagnostics: [empty] };
  }
  const shown = textFindings(text);
  const visible = withoutFound(text, shown);
  const { value, problems, repaired } = readJson(visible);
  const diagnostics = problems.map(({ location, ...wording }) => fail('settings/json', location, wording));
  if (text !== marked) {
    diagnostics.push(fail('settings/json', locationAt(text, 0), fileMessages.byteOrderMark(settingsFile)));
  }
  diagnostics.push(...shown.map((finding) => diagnose({ ...finding, file: settingsFile, text })));
  if (value === undefined) return { value, diagnostics };
  const locationOf = locationsInYaml(visible, repaired);
  // Text that the file writes as escapes is reported without a code frame, which would show part of a secret.
  const hidden = valueFindings(value, locationOf).filter(({ code }) => shown.every((it) => it.code !== code));
  diagnostics.push(...hidden.map((finding) => diagnose({ ...finding, file: settingsFile })));
  for (const { rule, key, path, message, hint } of explain(settingsSource, value, { json: true }))
    diagnostics.push(fail(`settings/${rule}`, locationOf(path, { key }), { message, hint }));
  // js-yaml refuses a key that appears twice; JSON.parse would use the second.
  if (problems.length === 0 && !succeeds(() => parseYaml(visible))) {
    for (const { code, pos } of parseDocument(visible, { prettyErrors: false }).errors) {
      if (code !== 'DUPLICATE_KEY') continue;
      const key = /^"[^"]*"/.exec(visible.slice(pos[0]))?.[0] ?? '"';
      const location = locationAt(visible, pos[0], key.length);
      diagnostics.push(fail('settings/duplicate-key', location, settingsMessages.keyTwice(key)));
    }
  }
  return { value, diagnostics };
}

function deepFreeze<Value>(value: Value): Value {
  // Values that are no objects count as frozen.
  if (!Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value as object).forEach(deepFreeze);
  }
  return value;
}
