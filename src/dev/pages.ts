import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { unprocessable } from '../catalog/unprocessable.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ContentError, OperationError } from '../errors.ts';
import { outputsAt } from '../outputs/index.ts';
import type { RenderedFile } from '../outputs/output.ts';
import type { Site } from '../outputs/site.ts';

/** The path of everything that only a preview serves. No output has such a path. */
export const devPath = '/__dev/';

/** A file of the preview. */
interface Page {
  bytes: Buffer;
  /** Changes with what a page shows, except for its styles, which browsers replace without a reload. */
  mark: string;
  /** Why the file could not be rendered; empty if it was. */
  errors: readonly Diagnostic[];
}

/** How many files are kept for the next site. */
const maxKept = 1_000;

/** Renders the files of a site that are asked for, and renders them again only if what they show has changed. */
export class Pages {
  readonly #kept = new LRUCache<string, { inputs: readonly string[] | undefined; site: Site; page: Page }>({
    max: maxKept,
  });
  #site: Site | null = null;
  #edition = -1;

  /** Shows another site. Nothing is kept from one with another `edition`. */
  show(site: Site | null, edition: number): void {
    if (edition !== this.#edition) this.#kept.clear();
    this.#site = site;
    this.#edition = edition;
  }

  /** Returns the file at a path below dist/; null if there is none. Without a site, every page is an empty one. */
  get(path: string): Page | null {
    const isPage = path.endsWith('.html');
    if (this.#site === null) return /^(?:index|404)\.html$/.test(path) ? withoutContent([]) : null;
    const file = fileAt(this.#site, path);
    if (file === null) return null;
    const kept = this.#kept.get(path);
    if (kept !== undefined && (kept.site === this.#site || sameTexts(kept.inputs, file.inputs))) return kept.page;
    const page = this.#render(this.#site, file, isPage);
    if (page !== null && page.errors.length === 0) {
      this.#kept.set(path, { inputs: file.inputs, site: this.#site, page });
    }
    return page;
  }

  #render(site: Site, file: RenderedFile, isPage: boolean): Page | null {
    try {
      const bytes = bytesOf(site, file);
      return isPage ? withScript(bytes.toString('utf8')) : { bytes, mark: '', errors: [] };
    } catch (error) {
      if (error instanceof OperationError) throw error;
      const errors =
        error instanceof ContentError ? error.diagnostics : [unprocessable(file.agent ?? '', 'render', error)];
      return isPage ? withoutContent(errors) : null;
    }
  }
}

function fileAt(site: Site, path: string): RenderedFile | null {
  const slug = /^agents\/([^/]+?)(?:\.html|\/)/.exec(path)?.[1];
  for (const output of outputsAt(path)) {
    for (const file of output.files(site, slug)) if (file.path === path || file.copy === path) return file;
  }
  return null;
}

function bytesOf(site: Site, { render }: RenderedFile): Buffer {
  const content = render((path) => {
    const other = fileAt(site, path);
    return other === null ? '' : createHash('sha256').update(bytesOf(site, other)).digest('hex');
  });
  if (typeof content === 'string' || content instanceof Uint8Array) return Buffer.from(content);
  if (typeof content !== 'function') return Buffer.from(content.map((part) => part.render()).join(''));
  let drawn: Uint8Array = new Uint8Array();
  content((bytes) => {
    drawn = bytes;
  });
  site.images.finish();
  site.images.close();
  return Buffer.from(drawn);
}

/** Adds the script of the preview to a page. */
function withScript(html: string, errors: readonly Diagnostic[] = []): Page {
  const mark = createHash('sha256')
    .update(html.replace(/(\.css\?v)(?:=|&#x3D;)\w*/g, '$1'))
    .digest('base64url');
  const script = `<script type="module" src="${devPath}dev.js" data-mark="${mark}"></script>`;
  const end = html.indexOf('</head>');
  const at = end === -1 ? html.length : end;
  return { bytes: Buffer.from(`${html.slice(0, at)}${script}\n${html.slice(at)}`), mark, errors };
}

/** The page that is shown if one cannot be rendered. The script shows the errors on it. */
function withoutContent(errors: readonly Diagnostic[]): Page {
  const html =
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n' +
    '<title>Errors in the catalog</title>\n</head>\n<body>\n<p>The page appears here once the errors are fixed.</p>\n</body>\n</html>\n';
  return withScript(html, errors);
}

function sameTexts(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a !== undefined && b !== undefined && a.length === b.length && a.every((text, index) => text === b[index]);
}
