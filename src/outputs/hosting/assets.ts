import { dirname, join } from 'node:path/posix';
import { none, type Output } from '../output.ts';
import { assetVersion } from '../shared/page.ts';

/** Styles, scripts and the like, as in templates/assets. Pages add `?v=<hash>` to their addresses. */
export const files: Output = {
  path: 'assets/{file}',
  purpose: 'Styles, scripts and other assets',
  *files({ assets }) {
    for (const [path, bytes] of assets) if (!isInFolder(path)) yield { path, inputs: none(), render: () => bytes };
  },
};

export const folders: Output = {
  path: 'assets/{folder}/{file}',
  purpose: 'Fonts and other assets in folders',
  *files({ assets }) {
    for (const [path, bytes] of assets) if (isInFolder(path)) yield { path, inputs: none(), render: () => bytes };
  },
};

function isInFolder(path: string): boolean {
  return path.split('/').length > 2;
}

/**
 * Adds versions to the addresses in stylesheets, as pages do: `url("fonts/a.woff2")` becomes
 * `url("fonts/a.woff2?v=<hash>")`, so that browsers can cache the file permanently.
 */
export function withVersions(assets: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  return new Map(
    [...assets].map(([path, bytes]) => [path, path.endsWith('.css') ? versioned(path, bytes, assets) : bytes]),
  );
}

function versioned(path: string, bytes: Uint8Array, assets: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const css = Buffer.from(bytes).toString('utf8');
  return Buffer.from(
    css.replace(/url\("([^":?#]+)"\)/g, (link, target: string) => {
      const used = assets.get(join(dirname(path), target));
      return used === undefined ? link : `url("${target}?v=${assetVersion(used)}")`;
    }),
  );
}
