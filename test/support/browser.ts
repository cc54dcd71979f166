import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/**
 * Starts Chromium: that of CHROMIUM_PATH, else the one that the development dependencies bring, which is for Linux on
 * x64 alone.
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await bundledChromium());
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

async function bundledChromium(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `Tests in a browser need one: set CHROMIUM_PATH to the program of Chromium or Chrome. The one that npm installs runs on linux-x64, and this is ${process.platform}-${process.arch}.`,
    );
  }
  // It unpacks itself into the temporary folder, and takes any program called chromium that it finds there.
  const { version } = require('@sparticuz/chromium/package.json') as { version: string };
  const folder = join(tmpdir(), `catalog-chromium-${version}-${process.getuid?.() ?? ''}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs20.x';
  try {
    const { default: bundled } = await import('@sparticuz/chromium');
    return await bundled.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
