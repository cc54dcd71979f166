import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { unprocessable } from '../../content/read.ts';
import { OperationError } from '../../lib/errors.ts';
import { digestOf, sha256Of } from '../../lib/files.ts';
import { programFolder, programVersion } from '../../program.ts';
import { ContentError, identityOf, sortDiagnostics } from '../../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../../schema/diagnostics/diagnostic.ts';
import type { BuildInfo } from '../../schema/documents.ts';
import { startServer } from '../../server/app.ts';
import { type BuildFollower, FileCache, type LiveBuild, type SiteRules } from '../../server/build-follower.ts';
import { isLoopback } from '../../server/forms.ts';
import { candidates, parseTarget, sendError } from '../../server/http.ts';
import type { ServerLog } from '../../server/log.ts';
import { loadMcpCatalog, type McpCatalog } from '../../server/mcp/catalog.ts';
import { serverSettings } from '../../server/settings.ts';
import { securityHeaders, securityPolicy, siteRules } from '../../site/hosting/site-rules.ts';
import { outputsAt } from '../../site/index.ts';
import type { RenderedFile } from '../../site/output.ts';
import { assetVersion } from '../../site/shared/page.ts';
import type { Site } from '../../site/site.ts';
import { type CatalogOptions, type Changes, WatchedCatalog } from './watched-catalog.ts';

const everything: Changes = { agents: 'all', settings: true, templates: true };
const nothing: Changes = { agents: new Set(), settings: false, templates: false };

/** The path of everything that only a preview serves. No output has such a path. */
const devPath = '/__dev/';

/** A file of the preview. */
interface Page {
  bytes: Buffer;
  /** Changes with what a page shows, except for its styles, which browsers replace without a reload. */
  mark: string;
  /** Why the file could not be rendered; empty if it was. */
  errors: readonly Diagnostic[];
}

/** Renders the files of a site that are asked for, and renders them again only if what they show has changed. */
class Pages {
  /** The files that are kept for the next site. */
  readonly #kept = new LRUCache<string, { inputs: readonly string[]; page: Page }>({ max: 1_000 });
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
    if (this.#site === null) return /^(?:index|404)\.html$/.test(path) ? withoutContent([]) : null;
    const file = fileAt(this.#site, path);
    if (file === null) return null;
    const kept = this.#kept.get(path);
    if (kept !== undefined && isDeepStrictEqual(kept.inputs, file.inputs)) return kept.page;
    const page = this.#render(this.#site, file, path.endsWith('.html'));
    if (page?.errors.length === 0) this.#kept.set(path, { inputs: file.inputs, page });
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
    return other === null ? '' : sha256Of(bytesOf(site, other));
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
  const mark = digestOf(html.replace(/(\.css\?v)(?:=|&#x3D;)\w*/g, '$1'));
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

/**
 * How files are served. Unlike on a live site, other sites may not read them: a page that the editor has open elsewhere
 * could otherwise send drafts away.
 */
const devRules: SiteRules = {
  ...siteRules,
  securityHeaders(addresses, path) {
    const { 'Access-Control-Allow-Origin': _any, ...headers } = securityHeaders(addresses, '');
    const policy = securityPolicy(addresses, '');
    return {
      ...headers,
      // The script of the preview is on emails too, so they get the policy of pages, and inline styles.
      'Content-Security-Policy': path.startsWith('mail/')
        ? policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
        : policy,
      'Cross-Origin-Resource-Policy': 'same-origin',
    };
  },
};

/** A build that exists only while it is asked for. */
interface Preview extends LiveBuild {
  /** Loads what MCP needs; without it, `mcp` throws. */
  loadMcp(): Promise<void>;
}

/** Serves an edited catalog, and tells open pages what an update changes for them. */
class PreviewServer implements BuildFollower {
  readonly catalog: WatchedCatalog;
  readonly #baseUrl: string;
  readonly #pages = new Pages();
  readonly #clients = new Map<ServerResponse, string>();
  #live: Preview;

  constructor(options: CatalogOptions) {
    this.catalog = new WatchedCatalog(options);
    this.#baseUrl = options.baseUrl;
    this.#live = this.#build();
  }

  readonly current = (): LiveBuild => this.#live;
  readonly refresh = async (): Promise<void> => {};

  /** Ends the connections of open pages. */
  readonly stop = (): void => {
    for (const response of this.#clients.keys()) response.end();
  };

  /** Reads what changed, and tells all open pages. Returns what is wrong in the catalog and in these pages. */
  update(changes: Changes): Diagnostic[] {
    this.catalog.update(changes);
    this.#pages.show(this.catalog.site, this.catalog.edition);
    this.#live = this.#build();
    const errors = [...this.catalog.allErrors];
    for (const [response, path] of this.#clients) {
      const state = this.#stateOf(path);
      errors.push(...state.errors);
      sendState(response, state);
    }
    // A page that cannot be rendered reports the same error as the checks.
    return sortDiagnostics([...new Map(errors.map((error) => [identityOf(error), error])).values()]);
  }

  /** Returns the handler of all requests: its own paths, and `handle` for the rest. Requests from elsewhere are refused. */
  wrap(handle: RequestListener): RequestListener {
    return async (request, response) => {
      const { pathname, search } = parseTarget(request.url ?? '/');
      const { host = '', origin } = request.headers;
      if (![`http://${host}`, ...(origin === undefined ? [] : [origin])].every(isLocal)) {
        sendError(response, 'forbidden_origin', 'catalog dev answers only requests to this machine by its own pages.');
      } else if (pathname === `${devPath}events` && request.method === 'GET') {
        this.#follow(response, new URLSearchParams(search).get('path') ?? '/');
      } else if (Object.hasOwn(clientTypes, pathname)) {
        const file = join(programFolder, 'lib/dev', pathname.slice(devPath.length));
        response.writeHead(200, { 'content-type': clientTypes[pathname], 'cache-control': 'no-store' });
        response.end(readFileSync(file));
      } else {
        if (pathname.startsWith('/api/mcp')) await this.#live.loadMcp().catch(() => {});
        handle(request, response);
      }
    };
  }

  /** Sends the state of a page now, and after each update. */
  #follow(response: ServerResponse, path: string): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#clients.set(response, path);
    response.once('close', () => this.#clients.delete(response));
    sendState(response, this.#stateOf(path));
  }

  /** The message to the script of a page after each update. */
  #stateOf(path: string) {
    const { site, errors, unpublished } = this.catalog;
    const slug = /^\/agents\/([a-z0-9-]+)(?:$|[./])/.exec(path)?.[1];
    const page = this.#pageAt(path);
    const styles = [...(site?.assets ?? [])].filter(([name]) => name.endsWith('.css'));
    return {
      /** Changes when the page has to be loaded again. */
      mark: page?.mark ?? '',
      /** The versions of stylesheets by their path. */
      styles: Object.fromEntries(styles.map(([name, bytes]) => [`/${name}`, assetVersion(bytes)])),
      errors: [...errors, ...(page?.errors ?? [])],
      /** The findings of the rules about the agent of the page; null on other pages. */
      checks: slug === undefined ? null : this.catalog.checksOf(slug),
      /** The labels of agents that are not published yet, by slug. */
      unpublished: Object.fromEntries(unpublished),
    };
  }

  /** The page that a browser gets for a path. */
  #pageAt(path: string) {
    for (const name of candidates(path)) {
      const page = this.#pages.get(name);
      if (page !== null) return page;
    }
    return this.#pages.get('404.html');
  }

  #build(): Preview {
    const { site } = this.catalog;
    const info: BuildInfo = {
      id: randomUUID().replaceAll('-', ''),
      version: programVersion,
      baseUrl: this.#baseUrl,
      runtimeUrl: site?.settings.runtimeUrl ?? null,
      preview: true,
      moved: Object.fromEntries(site?.moved ?? []),
      counts: { agents: site?.agents.length ?? 0, files: 0 },
    };
    const read = async (path: string) => this.#pages.get(path)?.bytes ?? null;
    let mcp: McpCatalog | undefined;
    return {
      info,
      folders: { roots: [], removed: new Set() },
      rules: devRules,
      basePath: '',
      mounts: [''],
      slugs: new Set(site?.agents.map(({ slug }) => slug)),
      files: new FileCache(read, info, devRules),
      get mcp() {
        if (mcp === undefined) throw new Error('The catalog has errors, so MCP cannot serve it.');
        return mcp;
      },
      async loadMcp() {
        mcp ??= await loadMcpCatalog(read, info.moved);
      },
    };
  }
}

const clientTypes: Record<string, string> = {
  [`${devPath}dev.js`]: 'text/javascript; charset=utf-8',
  [`${devPath}dev.css`]: 'text/css; charset=utf-8',
};

/** Whether an address is one of this machine. A page of another site may have its name lead here (DNS rebinding). */
function isLocal(address: string): boolean {
  return URL.canParse(address) && isLoopback(new URL(address).hostname);
}

function sendState(response: ServerResponse, state: object): void {
  response.write(`data: ${JSON.stringify(state)}\n\n`);
}

interface DevOptions extends Omit<CatalogOptions, 'baseUrl'> {
  /** Whether to compare files every second instead of asking the system for changes. */
  poll: boolean;
  /** The port, as text; `0` for any free one. */
  port?: string | undefined;
  environment: NodeJS.ProcessEnv;
  log: ServerLog;
  /**
   * Is called after each update, with its errors and how long it took. `changes` is null for the first one. If not
   * `isComplete`, some checks follow in an update without changes.
   */
  onUpdate(update: { changes: Changes | null; errors: readonly Diagnostic[]; isComplete: boolean; ms: number }): void;
  /** Is called if the system cannot report changes, so that files are compared every second. */
  onFallback(code: string): void;
}

/** How long nothing may change before what depends on all agents is checked and found again, in milliseconds. */
const idleMs = 1_000;
/** How long agents are judged before other work has its turn, in milliseconds. */
const stepMs = 50;

/**
 * Serves a catalog with its drafts and scheduled agents on this machine alone, and updates open pages when its files
 * change. Everything is rendered in memory. Votes and subscriptions are stored in a temporary folder.
 *
 * Rejects with UsageError if the port is none, and with OperationError if it is taken.
 */
export async function startDev(options: DevOptions) {
  const { port, environment, log, onUpdate } = options;
  const { PORT } = environment;
  const settingsIn = (folder: string) => serverSettings(port === undefined ? {} : { port }, { PORT }, folder);
  // A wrong port is an error before the folder exists.
  settingsIn(tmpdir());
  const data = mkdtempSync(join(tmpdir(), 'catalog-dev-'));
  const settings = settingsIn(data);
  let preview: PreviewServer | undefined;
  let timer: NodeJS.Timeout | undefined;

  function update(changes: Changes, isFirst = false): void {
    const begun = performance.now();
    try {
      const errors = preview?.update(changes) ?? [];
      const isComplete = preview?.catalog.isBehind !== true;
      onUpdate({ changes: isFirst ? null : changes, errors, isComplete, ms: performance.now() - begun });
    } catch (error) {
      // The next change may fix it, such as a file that was removed while it was read.
      log.log.error({ err: error }, 'the preview was not updated');
    }
    clearTimeout(timer);
    // Only an update without changes tells all errors then.
    if (preview?.catalog.isBehind) timer = setTimeout(finish, idleMs);
  }

  /** Pages are served between its steps. */
  function finish(): void {
    if (preview?.catalog.judge(stepMs)) timer = setTimeout(finish);
    else update(nothing);
  }

  try {
    const server = await startServer(settings, {
      log,
      rules: devRules,
      follow: async (portInUse) => {
        preview = new PreviewServer({ ...options, baseUrl: `http://localhost:${portInUse}` });
        update(everything, true);
        return preview;
      },
      wrap: (handle) => (preview as PreviewServer).wrap(handle),
    });
    const endWatching = (preview as PreviewServer).catalog.watch({
      ...options,
      onChange: (changes) => update(changes),
      onError: (error) => log.log.error({ err: error }, 'changes of some files may not be noticed'),
    });
    return {
      /** The address of the preview, with a slash at its end. */
      address: server.address,
      async close() {
        await endWatching();
        clearTimeout(timer);
        preview?.stop();
        await server.close();
        rmSync(data, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(data, { recursive: true, force: true });
    throw error;
  }
}
