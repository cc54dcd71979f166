import Ajv from 'ajv';
import addFormats from 'ajv-formats';

/**
 * What assistants accept as plugins and marketplaces, and the registry of MCP servers as an entry, as JSON Schemas that were
 * written from their documentation.
 */

const closed = (required: readonly string[], properties: Record<string, object>) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const text = (maxLength = 5000) => ({ type: 'string', minLength: 1, maxLength });
const list = (items: object) => ({ type: 'array', items });
const https = { type: 'string', pattern: '^https://', format: 'uri' };
const kebab = { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 };
const semver = { type: 'string', pattern: '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$' };
/** No range, and not `latest`. */
const exactVersion = { ...text(255), not: { pattern: '[\\^~<>=*|]|\\bx\\b|^latest$' } };
const email = { type: 'string', format: 'email' };
const author = closed(['name'], { name: text(), email, url: https });
const authorWithoutUrl = closed(['name'], { name: text(), email });
const shared = {
  name: kebab,
  version: semver,
  description: text(1024),
  homepage: https,
  repository: https,
  license: text(),
  keywords: list(text()),
};
const entry = { ...shared, displayName: text(), author, category: text(), tags: list(text()) };
/** Names that Claude Code keeps for its vendor. */
const marketplaceName = { ...kebab, not: { enum: ['agent-skills', 'claude-plugins-official', 'anthropic-plugins'] } };
const marketplace = (source: object) =>
  closed(['name', 'owner', 'plugins'], {
    $schema: text(),
    name: marketplaceName,
    description: text(),
    owner: author,
    renames: { type: 'object', additionalProperties: { anyOf: [kebab, { type: 'null' }] }, propertyNames: kebab },
    plugins: list(closed(['name', 'source', 'version', 'description'], { ...entry, source })),
  });

const codexCategory = {
  enum: [
    ...['Productivity', 'Developer Tools', 'Data & Analytics', 'Creativity', 'Communication', 'Business & Operations'],
    ...['Education & Research', 'Finance', 'Security', 'Travel', 'Other'],
  ],
};

/** The schemas by the path of a file, in which a folder of plugins or skills is `*`. */
export const schemas: Record<string, object> = {
  // Agent Plugins 1.0.0.
  'plugins/*/plugin.json': closed(['$schema', 'name'], {
    $schema: { const: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json' },
    ...shared,
    name: { ...kebab, pattern: '^(?!.*(?:--|\\.\\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$' },
    author,
    extensions: { type: 'object' },
  }),
  'plugins/*/.claude-plugin/plugin.json': closed(['name'], { ...shared, author }),
  'plugins/*/.codex-plugin/plugin.json': closed(['name', 'version', 'description', 'author', 'interface'], {
    ...shared,
    author,
    skills: { const: './skills/' },
    interface: closed(['displayName', 'shortDescription', 'longDescription', 'developerName', 'category'], {
      displayName: text(),
      shortDescription: text(),
      longDescription: text(),
      developerName: text(),
      category: codexCategory,
      capabilities: list(text()),
      websiteURL: https,
      defaultPrompt: { ...list(text(128)), maxItems: 3 },
    }),
  }),
  'plugins/*/.cursor-plugin/plugin.json': closed(['name'], {
    ...shared,
    displayName: text(),
    author: authorWithoutUrl,
    category: text(),
  }),
  '.claude-plugin/marketplace.json': marketplace({ type: 'string', pattern: '^\\./plugins/[a-z0-9-]+$' }),
  '.agents/plugins/marketplace.json': closed(['name', 'interface', 'plugins'], {
    name: kebab,
    interface: closed(['displayName'], { displayName: text() }),
    plugins: list(
      closed(['name', 'source', 'policy', 'category'], {
        name: kebab,
        source: closed(['source', 'path'], {
          source: { const: 'local' },
          path: { pattern: '^\\./plugins/[a-z0-9-]+$' },
        }),
        policy: closed(['installation', 'authentication'], {
          installation: { enum: ['NOT_AVAILABLE', 'AVAILABLE', 'INSTALLED_BY_DEFAULT'] },
          authentication: { enum: ['ON_INSTALL', 'ON_USE'] },
        }),
        category: codexCategory,
      }),
    ),
  }),
  '.cursor-plugin/marketplace.json': closed(['name', 'owner', 'plugins'], {
    name: kebab,
    owner: authorWithoutUrl,
    metadata: closed([], { description: text() }),
    plugins: list(
      closed(['name', 'source'], { name: kebab, source: { pattern: '^plugins/[a-z0-9-]+$' }, description: text() }),
    ),
  }),
  'gemini-extension.json': closed(['name', 'version'], {
    name: kebab,
    version: semver,
    description: text(),
    mcpServers: { type: 'object', additionalProperties: closed(['httpUrl'], { httpUrl: https }) },
  }),
  // The marketplace of the site: nothing is beside it, so it names archives.
  'marketplace.json': marketplace(
    closed(['source', 'url', 'sha256'], {
      source: { const: 'archive' },
      url: { ...https, pattern: '^https://.*\\.zip$' },
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    }),
  ),
  // The registry also accepts fields that it does not know, but they would be mistakes of ours.
  'server.json': closed(['$schema', 'name', 'description', 'version'], {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: text(100),
    description: text(100),
    version: exactVersion,
    websiteUrl: { type: 'string', format: 'uri' },
    repository: closed(['url', 'source'], {
      url: { type: 'string', format: 'uri' },
      source: text(),
      id: text(),
      subfolder: text(),
    }),
    icons: list(
      closed(['src'], {
        src: { ...https, maxLength: 255 },
        mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
        sizes: list({ type: 'string', pattern: '^(\\d+x\\d+|any)$' }),
        theme: { enum: ['light', 'dark'] },
      }),
    ),
    packages: list(
      // For npm, the version is required.
      closed(['registryType', 'identifier', 'version', 'transport'], {
        registryType: { enum: ['npm'] },
        registryBaseUrl: https,
        identifier: text(),
        version: exactVersion,
        transport: closed(['type'], { type: { const: 'stdio' } }),
        runtimeHint: text(),
        packageArguments: list({
          anyOf: [
            closed(['type', 'value'], { type: { const: 'positional' }, value: text(), description: text() }),
            closed(['type', 'name'], {
              type: { const: 'named' },
              name: text(),
              description: text(),
              format: { enum: ['string', 'number', 'boolean', 'filepath'] },
              isRequired: { type: 'boolean' },
            }),
          ],
        }),
      }),
    ),
    remotes: list(
      closed(['type', 'url'], {
        type: { enum: ['streamable-http', 'sse'] },
        url: { type: 'string', pattern: '^https?://[^\\s]+$' },
      }),
    ),
  }),
};

const ajv = new Ajv.default({ strict: false, allErrors: true });
addFormats.default(ajv);
const validators = new Map(Object.entries(schemas).map(([path, schema]) => [path, ajv.compile(schema)]));

/** Returns what is wrong with a manifest at a path; null if no client reads a file of that path as a manifest. */
export function manifestFaults(path: string, json: string): string[] | null {
  const validate = validators.get(path.replace(/^plugins\/[^/]+\//, 'plugins/*/'));
  if (validate === undefined) return null;
  const value = JSON.parse(json);
  validate(value);
  const faults = (validate.errors ?? []).map(({ instancePath, message }) => `${path}${instancePath} ${message}`);
  return [...faults, ...chainFaults(value)];
}

/** Every rename has to lead to a plugin of the marketplace, or to null. */
function chainFaults({
  renames = {},
  plugins = [],
}: {
  renames?: Record<string, string | null>;
  plugins?: { name: string }[];
}): string[] {
  const names = new Set(plugins.map(({ name }) => name));
  return Object.entries(renames).flatMap(([from, to]) => {
    if (names.has(from)) return [`${from} is renamed, but listed`];
    return to === null || names.has(to) || to in renames ? [] : [`${from} is renamed to ${to}, which is not listed`];
  });
}
