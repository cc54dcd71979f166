import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { ContentError, type Diagnostic, diagnose, UsageError } from './diagnostics.ts';
import { explain } from './schema/explain.ts';
import { baseUrl, type Settings, settingsSource } from './schema/settings.ts';
import { jsonErrorOffset, type Place, placeAt } from './source-text.ts';
import { placeInJson } from './yaml-place.ts';

export type { Settings, Vocabulary } from './schema/settings.ts';

/** The name of the settings file in a catalog's folder. */
export const settingsFile = 'catalog.config.json';

/** What flags and environment variables may override. */
export interface SettingsOverrides {
  /** From `--base-url`. */
  baseUrl?: string | undefined;
  /** From `--runtime-url`. */
  runtimeUrl?: string | undefined;
}

/**
 * Reads catalog.config.json in the folder `cwd`; flags win over `environment`, which wins over the file.
 *
 * Throws ContentError when the file is missing or wrong, UsageError when an override is.
 */
export function loadSettings(cwd: string, overrides: SettingsOverrides, environment: NodeJS.ProcessEnv): Settings {
  const source = parseSettings(readSettings(cwd));
  const runtime =
    override('--runtime-url', overrides.runtimeUrl) ?? override('CATALOG_RUNTIME_URL', environment.CATALOG_RUNTIME_URL);
  const { $schema: _schema, runtimeUrl, ...rest } = source;
  const address = givenBaseUrl(overrides.baseUrl, environment) ?? rest.baseUrl;
  return deepFreeze({
    ...rest,
    baseUrl: address,
    runtimeUrl: runtime ?? (runtimeUrl === undefined ? address : runtimeUrl),
  });
}

/**
 * The address that `--base-url` or `CATALOG_BASE_URL` gives, checked; undefined when neither is set.
 *
 * Throws UsageError when it is no address.
 */
export function givenBaseUrl(flag: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  return override('--base-url', flag) ?? override('CATALOG_BASE_URL', environment.CATALOG_BASE_URL);
}

function override(name: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  const result = baseUrl.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${name} is ${JSON.stringify(value)}; it has to be ${result.error.issues[0]?.message}.`);
}

function readSettings(cwd: string): string {
  try {
    return readFileSync(join(cwd, settingsFile), 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ContentError([
      diagnose({
        code: 'settings/missing',
        file: settingsFile,
        message: missing
          ? `There is no ${settingsFile} in ${cwd}.`
          : `${settingsFile} in ${cwd} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
        hint: 'Run the command in the folder of a catalog, or name that folder with --cwd.',
      }),
    ]);
  }
}

function parseSettings(text: string) {
  const fail = (code: Diagnostic['code'], place: Place, message: string, hint: string) =>
    diagnose({ code, file: settingsFile, text, place, message, hint });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ContentError([
      fail(
        'settings/json',
        placeAt(text, jsonErrorOffset(error, text)),
        `${settingsFile} is not well-formed JSON.`,
        'Check for a missing comma, quote or bracket, or a comma too many, at or just before this place.',
      ),
    ]);
  }
  const doubled = parseDocument(text, { prettyErrors: false }).errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  const wrong = explain(settingsSource, value).map(({ kind, path, message, hint }) =>
    fail(codes[kind], placeInJson(text, path, { key: kind.endsWith('-key') }), message, hint),
  );
  const twice = doubled.map(({ pos: [from] }) => {
    const key = /^"[^"]*"/.exec(text.slice(from))?.[0] ?? '"';
    return fail(
      'settings/duplicate-key',
      placeAt(text, from, key.length),
      `${key} stands twice.`,
      'Keep one of the two.',
    );
  });
  if (wrong.length + twice.length > 0) throw new ContentError([...wrong, ...twice]);
  return settingsSource.parse(value);
}

const codes = {
  missing: 'settings/missing-key',
  'unknown-key': 'settings/unknown-key',
  'bad-key': 'settings/value',
  value: 'settings/value',
} as const;

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
