/**
 * The formats of configs by file extension, each with the content type that it is served with.
 *
 * Only data and text are allowed, nothing that a browser shows as a page or that runs as a program, whatever host
 * serves it. This excludes html, xhtml, svg and xml (pages, or scripts through XSLT), js and wasm, and sh, py, bat and
 * the like.
 */
export const configTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  jsonc: 'text/plain; charset=utf-8',
  yaml: 'text/plain; charset=utf-8',
  yml: 'text/plain; charset=utf-8',
  toml: 'text/plain; charset=utf-8',
  ini: 'text/plain; charset=utf-8',
  cfg: 'text/plain; charset=utf-8',
  conf: 'text/plain; charset=utf-8',
  properties: 'text/plain; charset=utf-8',
  env: 'text/plain; charset=utf-8',
  csv: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

/** The extensions that a config can have, without the dot. */
export const configExtensions: readonly string[] = Object.keys(configTypes);

const fileName = new RegExp(`^\\.?[A-Za-z0-9][\\w-]*(?:\\.[\\w-]+)*\\.(?:${configExtensions.join('|')})$`);
const device = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])\./i;
const startUpFile = /^\.[\w.-]*rc\./i;

/**
 * Whether it is safe to tell readers to save a config under this name. It must be a plain file name with the extension
 * of a config, and not a device name of Windows or a startup file of a tool (`.yarnrc.yml`). The extension alone
 * excludes names from `.bashrc` to `setup.exe`.
 */
export function isConfigFilename(name: string): boolean {
  return name.length <= 100 && fileName.test(name) && !device.test(name) && !startUpFile.test(name);
}
