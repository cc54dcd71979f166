import * as z from 'zod';
import { prepareSite } from '../build/prepare.ts';
import { readTemplates } from '../build/read-templates.ts';
import { loadContent } from '../catalog/load.ts';
import { select } from '../catalog/select.ts';
import { sha256Of } from '../digest.ts';
import { ContentError, OperationError, UsageError } from '../errors.ts';
import { promptTexts, readHistory } from '../git/history.ts';
import { publishedPlugins, readReleases } from '../git/install-branch.ts';
import { GitError } from '../git/run.ts';
import { download } from '../import/download.ts';
import { once } from '../once.ts';
import { outputs } from '../outputs/index.ts';
import { marketplacePath } from '../outputs/install/plugins.ts';
import type { RenderedFile } from '../outputs/output.ts';
import { type AgentRevisions, type Revisions, revisions, revisionsPath } from '../schema/revisions.ts';
import type { Settings } from '../schema/settings.ts';
import { largestDocument, parseBoundedJson } from '../text-safety/bounded-input.ts';
import { visible } from '../text-safety/printable.ts';

/** What was published, to compare copies with. */
export interface Published {
  /** The address of the site, or the folder of the catalog. */
  name: string;
  revisions: Revisions;
  /** Whether this was the slug of an agent that was withdrawn, as far as that is known. */
  isWithdrawn(slug: string): Promise<boolean>;
  /** Reads a file of the site. */
  read(path: string): Promise<Buffer>;
  /** The texts of revisions of a prompt, as far as they can be read; the newest first. */
  promptTexts(agent: AgentRevisions): Promise<string[]>;
}

const marketplace = z.object({ renames: z.record(z.string(), z.string().nullable()) });

const promptPath = ({ slug }: AgentRevisions) => `agents/${slug}/prompt.txt`;

/** The limits of api/revisions.json, which has the digests of all agents, and of the files of one agent. */
const limits = { timeoutMs: 30_000, maxRedirects: 5 };
const mostOfFile = 8 * 1024 * 1024;

/**
 * Asks a site.
 *
 * Throws UsageError for an address that cannot be one, and OperationError if it does not answer or is not such a site.
 */
export async function publishedOn(site: string): Promise<Published> {
  if (!/^https?:\/\//i.test(site) || !URL.canParse(site)) {
    throw new UsageError(`${visible(site)} is not the address of a site, such as https://agents.example.com.`);
  }
  const { origin, pathname, username, password } = new URL(site);
  if (username !== '' || password !== '')
    throw new UsageError('The address of the site has a user name or password; remove it.');
  const base = `${origin}${pathname.replace(/\/*$/, '/')}`;
  const read = async (path: string, maxBytes = mostOfFile) => {
    const chunks: Buffer[] = [];
    for await (const chunk of download(base + path, { ...limits, maxBytes })) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  // The marketplace tells assistants which plugins to remove. It is read at most once, for texts that no agent has.
  const uninstalled = once(async () => {
    try {
      const json = (await read(marketplacePath, largestDocument)).toString('utf8');
      const { renames } = marketplace.parse(parseBoundedJson(json));
      return new Set(Object.keys(renames).filter((slug) => renames[slug] === null));
    } catch {
      return new Set<string>();
    }
  });
  return {
    name: base,
    revisions: await readRevisions(base, read),
    isWithdrawn: async (slug) => (await uninstalled()).has(slug),
    read,
    promptTexts: async (agent) => [(await read(promptPath(agent))).toString('utf8')],
  };
}

async function readRevisions(
  base: string,
  read: (path: string, maxBytes: number) => Promise<Buffer>,
): Promise<Revisions> {
  try {
    return parseRevisions(await read(revisionsPath, largestDocument), base + revisionsPath);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(`${error.message} Is ${base} the address of a catalog that was built with this program?`, {
      cause: error,
    });
  }
}

/** Checks a document that anyone may have written. */
function parseRevisions(json: Buffer, address: string): Revisions {
  const refused = (reason: string) =>
    new OperationError(`${address} is not a document that catalogs publish: ${reason}`);
  let value: unknown;
  try {
    value = parseBoundedJson(json.toString('utf8'));
  } catch {
    throw refused('it is not JSON.');
  }
  const { data, error } = revisions.safeParse(value);
  if (data === undefined) throw refused(`${error.issues[0]?.path.join('.') || 'its root'} is wrong.`);
  return data;
}

/**
 * Renders what is asked for of the catalog in the folder `cwd`, with the texts of earlier revisions from Git. `missing`
 * says what is not known, or is null.
 *
 * Throws ContentError if the catalog cannot be built.
 */
export async function publishedIn(
  cwd: string,
  settings: Settings,
  today: string,
): Promise<{ published: Published; missing: string | null }> {
  const selected = select(loadContent(cwd, settings, today), { today, skipInvalid: true });
  if (selected.errors.length > 0) throw new ContentError(selected.errors);
  const { changes, missing } = readHistory(cwd);
  const releases = readReleases(cwd);
  const site = prepareSite(readTemplates(cwd), settings, selected, {
    preview: false,
    history: new Map(changes),
    published: publishedPlugins(cwd, releases),
    cache: null,
    images: false,
  });
  const files = new Map<string, RenderedFile>();
  for (const output of outputs) for (const file of output.files(site)) files.set(file.path, file);
  const render = (path: string): Buffer => {
    const content = files.get(path)?.render((other) => sha256Of(render(other)));
    if (content === undefined || typeof content === 'function') throw new Error(`There is no file ${path}.`);
    if (typeof content === 'string' || content instanceof Uint8Array) return Buffer.from(content);
    return Buffer.from(content.map((part) => part.render()).join(''));
  };
  const published: Published = {
    name: cwd,
    revisions: revisions.parse(JSON.parse(render(revisionsPath).toString('utf8'))),
    isWithdrawn: async (slug) => selected.withdrawn.includes(slug),
    read: async (path) => render(path),
    promptTexts: async (agent) => [render(promptPath(agent)).toString('utf8'), ...earlierTexts(cwd, agent)],
  };
  return { published, missing: [missing, releases.note].filter((note) => note !== null).join(' ') || null };
}

function earlierTexts(cwd: string, { slug, formerSlugs }: AgentRevisions): string[] {
  try {
    return promptTexts(cwd, [slug, ...formerSlugs]);
  } catch (error) {
    if (error instanceof GitError) return [];
    throw error;
  }
}
