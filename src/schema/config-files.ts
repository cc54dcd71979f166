/**
 * The formats of an agent's config by the extension of the file, each with the content type that it is served with.
 *
 * Only data and text: no browser runs one of them or shows it as a page, whatever host serves it, and none is a program.
 * That rules out html, xhtml, svg and xml (pages, or scripts through XSLT), js and wasm, and sh, py, bat and the like.
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
 * Whether a reader can be told to save a config under this name: a plain file name that ends like a config, is no device
 * of Windows, and is no start-up file of a tool (`.yarnrc.yml`). Names without such an ending, from `.bashrc` to
 * `setup.exe`, are refused by that alone.
 */
export function isConfigFilename(name: string): boolean {
  return name.length <= 100 && fileName.test(name) && !device.test(name) && !startUpFile.test(name);
}
