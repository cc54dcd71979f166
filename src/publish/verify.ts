import { buffer } from 'node:stream/consumers';
import { publishedPlugins, readReleases } from '../build/install-branch.ts';
import { readTemplates } from '../build/read-templates.ts';
import { diffOf } from '../content/fix-and-rename.ts';
import { promptTexts, readHistory } from '../content/history.ts';
import { download } from '../content/import/download.ts';
import { loadContent } from '../content/load.ts';
import { select } from '../content/schedule.ts';
import { largestDocument, parseBoundedJson } from '../lib/bounded.ts';
import { OperationError, orElse, UsageError } from '../lib/errors.ts';
import { sha256Of } from '../lib/files.ts';
import { orNull } from '../lib/git.ts';
import { once } from '../lib/lazy.ts';
import { servedText, visible } from '../lib/text.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import { type AgentRevisions, lineDigests, type Revisions, revisions, revisionsPath } from '../schema/documents.ts';
import type { Settings } from '../schema/settings.ts';
import type { OutputPath } from '../site/hosting/site-rules.ts';
import { outputs } from '../site/index.ts';
import { makeSite } from '../site/make-site.ts';
import type { RenderedFile } from '../site/output.ts';
import { withdrawnIn } from '../storage/build-folder.ts';
import { linesOf } from '../text/prompt-text.ts';
import { type Copy, unzip } from './copies.ts';

/** The published files, to compare copies with. */
interface Published {
  /** The address of the site, or the folder of the catalog. */
  name: string;
  /** What is not known of earlier revisions; null if nothing is missing. */
  missing: string | null;
  revisions: Revisions;
  /** Whether this was the slug of an agent that was withdrawn, as far as that is known. */
  isWithdrawn(slug: string): Promise<boolean>;
  /** Reads a file of the site. */
  read(path: string): Promise<Buffer>;
  /** The texts of revisions of a prompt, as far as they can be read; the newest first. */
  promptTexts(agent: AgentRevisions): Promise<string[]>;
}

const promptPath = ({ slug }: AgentRevisions) => `agents/${slug}/prompt.txt`;

/** The limits of api/revisions.json, which has the digests of all agents, and of the files of one agent. */
const limits = { timeoutMs: 30_000, maxRedirects: 5 };
const mostOfFile = 8 * 1024 * 1024;

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
  const value = orElse(() => parseBoundedJson(json.toString('utf8')), undefined);
  if (value === undefined) throw refused('it is not JSON.');
  const { data, error } = revisions.safeParse(value);
  if (data === undefined) throw refused(`${error.issues[0]?.path.join('.') || 'its root'} is wrong.`);
  return data;
}

/** A prompt that a text may be a copy of, and how the copy differs from it if it is one. */
interface Reading {
  text: string;
  /** `contained`: there is more text around it. */
  status: 'unchanged' | 'line-ends' | 'filled-in' | 'contained';
}

/**
 * The prompts that a text may be, the closest reading first: its bytes, other line ends, a reader's input removed, and then
 * the same of what Markdown and MCP put text around. Of a SKILL.md, the prompts that may be in it.
 */
export function* readings(text: string, isPrompt: boolean): Generator<Reading> {
  const plain = servedText(text);
  yield { text, status: 'unchanged' };
  if (isPrompt) {
    yield { text: trimmed(plain), status: 'line-ends' };
    for (const own of withoutInput(plain)) yield { text: own, status: 'filled-in' };
  }
  for (const part of isPrompt ? [plain.slice(plain.indexOf('\n\n') + 2), ...blocksOf(plain)] : promptsOfSkill(plain)) {
    for (const own of [trimmed(part), ...withoutInput(part)]) yield { text: own, status: 'contained' };
  }
}

/** A hostile text may have any number of places where a prompt could be; more than this are not looked at. */
const mostPlaces = 20;

/** The texts between code fences. */
function blocksOf(markdown: string): string[] {
  const blocks: string[][] = [[]];
  for (const { text, fenced } of linesOf(markdown).lines) {
    if (fenced) blocks.at(-1)?.push(text);
    else if (blocks.at(-1)?.length !== 0) blocks.push([]);
  }
  return blocks.slice(0, mostPlaces).map((lines) => lines.slice(1, -1).join('\n'));
}

/** The possible prompts in a SKILL.md: the heading that follows the prompt may also be in it. */
function* promptsOfSkill(skill: string): Generator<string> {
  const [, ...rest] = skill.split('\n## Prompt\n');
  const parts = rest.join('\n## Prompt\n').split('\n## How it works\n');
  for (const index of [...parts.keys()].slice(0, mostPlaces))
    yield parts.slice(0, index + 1).join('\n## How it works\n');
}

/** A text as it was before pages or MCP put a reader's input at the end of INPUT (agent-text/fill-in.ts). */
function* withoutInput(text: string): Generator<string> {
  for (const { 1: tag = '', index } of [...text.matchAll(/\n\n<(input(?:-\d+)?)[ >]/g)].slice(0, mostPlaces)) {
    const end = endOfParts(text, tag, index);
    if (end === null) continue;
    const after = text.slice(end).trimStart();
    for (const gap of ['\n\n', '\n']) yield trimmed(text.slice(0, index) + gap + after);
  }
}

/** The end of all parts of an input that follow each other from `start` on; null if there is none, or one never ends. */
function endOfParts(text: string, tag: string, start: number): number | null {
  const opening = new RegExp(`\\n\\n<${tag}(?: name="[^"\\n]*")?>(?=\\n)`, 'y');
  const closing = `\n</${tag}>`;
  let end = start;
  for (opening.lastIndex = start; opening.test(text); opening.lastIndex = end) {
    const at = text.indexOf(closing, opening.lastIndex);
    if (at === -1) return null;
    end = at + closing.length;
  }
  return end === start ? null : end;
}

/** A text without blank lines around it, and with one newline at its end. */
function trimmed(text: string): string {
  return `${text.replace(/^\n+/, '').trimEnd()}\n`;
}

/** The facts about a copy. */
export interface Verdict extends Comparison, Pick<Copy, 'path' | 'kind'> {
  verdict: 'same' | 'older' | 'renamed' | 'changed' | 'withdrawn' | 'unknown';
}

interface Comparison {
  /** `unknown`: no agent has such a text. `withdrawn`: the same, and a withdrawn agent has its name. */
  status: Reading['status'] | 'changed' | 'withdrawn' | 'unknown';
  agent: { slug: string; issue: number; url: string } | null;
  /** The revision of the prompt: its number, from 1 for the first that is known, date and digest; null if unknown. */
  revision: { number: number; of: number; date: string; sha256: string } | null;
  /** The version of the skill or plugin; of a changed one, the version that it was compared with. */
  version: string | null;
  /** The date or version of the current revision, if it is another one. */
  newer: string | null;
  /** The slug that the agent had when the skill or plugin was published, if it has another one now. */
  formerSlug: string | null;
  /** The changes, as a unified diff from the published text. */
  diff: string;
}

type Files = Copy['files'];
type Plugin = AgentRevisions['plugins'][number];

/** The share of the lines of a prompt that a changed copy has to have, and one with the name of the agent. */
const [enough, enoughIfNamed] = [0.5, 0.2];
/** The most versions that a changed skill is compared with, newest first. */
const mostCompared = 10;

/** Says what copies are. Its methods reject with OperationError if a site does not answer. */
export class Verifier {
  readonly published: Published;
  /** The agents by the digests of prompts and of SKILL.md, and by current and former slugs. */
  readonly #byDigest = new Map<string, AgentRevisions>();
  readonly #byName = new Map<string, AgentRevisions>();

  constructor(published: Published) {
    this.published = published;
    for (const agent of published.revisions.agents) {
      for (const digest of digestsOf(agent)) this.#byDigest.set(digest, this.#byDigest.get(digest) ?? agent);
      for (const slug of [agent.slug, ...agent.formerSlugs]) this.#byName.set(slug, agent);
    }
  }

  /**
   * Compares copies with a site.
   *
   * Throws UsageError for an address that cannot be one, and OperationError if it does not answer or is not such a site.
   */
  static async ofSite(site: string): Promise<Verifier> {
    if (!/^https?:\/\//i.test(site) || !URL.canParse(site)) {
      throw new UsageError(`${visible(site)} is not the address of a site, such as https://agents.example.com.`);
    }
    const { origin, pathname, username, password } = new URL(site);
    if (username !== '' || password !== '')
      throw new UsageError('The address of the site has a user name or password; remove it.');
    const base = `${origin}${pathname.replace(/\/*$/, '/')}`;
    const read = (path: string, maxBytes = mostOfFile) => buffer(download(base + path, { ...limits, maxBytes }));
    // The marketplace tells assistants which plugins to remove. It is read at most once, for texts that no agent has.
    const uninstalled = once(() =>
      read('marketplace.json' satisfies OutputPath, largestDocument)
        .then((json) => withdrawnIn(parseBoundedJson(json.toString('utf8'))))
        .catch(() => new Set<string>()),
    );
    return new Verifier({
      name: base,
      missing: null,
      revisions: await readRevisions(base, read),
      isWithdrawn: async (slug) => (await uninstalled()).has(slug),
      read,
      promptTexts: async (agent) => [(await read(promptPath(agent))).toString('utf8')],
    });
  }

  /**
   * Compares copies with the catalog in the folder `cwd`, of which it renders what is asked for, and with the texts of earlier
   * revisions from Git.
   *
   * Throws ContentError if the catalog cannot be built.
   */
  static ofCatalog(cwd: string, settings: Settings, today: string): Verifier {
    const selected = select(loadContent(cwd, settings, today), { today, skipInvalid: true });
    if (selected.errors.length > 0) throw new ContentError(selected.errors);
    const { changes, missing } = readHistory(cwd);
    const releases = readReleases(cwd);
    const site = makeSite(readTemplates(cwd), settings, selected, {
      history: new Map(changes),
      published: publishedPlugins(cwd, releases),
    });
    const files = new Map<string, RenderedFile>();
    for (const output of outputs) for (const file of output.files(site)) files.set(file.path, file);
    const render = (path: string): Buffer => {
      const content = files.get(path)?.render((other) => sha256Of(render(other)));
      if (content === undefined || typeof content === 'function') throw new Error(`There is no file ${path}.`);
      if (typeof content === 'string' || content instanceof Uint8Array) return Buffer.from(content);
      return Buffer.from(content.map((part) => part.render()).join(''));
    };
    return new Verifier({
      name: cwd,
      missing: [missing, releases.note].filter((note) => note !== null).join(' ') || null,
      revisions: revisions.parse(JSON.parse(render(revisionsPath).toString('utf8'))),
      isWithdrawn: async (slug) => selected.withdrawn.includes(slug),
      read: async (path) => render(path),
      async promptTexts(agent) {
        const earlier = orNull(() => promptTexts(cwd, [agent.slug, ...agent.formerSlugs])) ?? [];
        return [render(promptPath(agent)).toString('utf8'), ...earlier];
      },
    });
  }

  async verdict(copy: Copy): Promise<Verdict> {
    const { path, kind } = copy;
    const compared = await this.#compare(copy);
    const { status, newer, formerSlug } = compared;
    const unchanged = formerSlug !== null ? 'renamed' : newer !== null ? 'older' : 'same';
    const isUnchanged = !/^(?:changed|withdrawn|unknown)$/.test(status);
    return { path, kind, verdict: isUnchanged ? unchanged : (status as Verdict['verdict']), ...compared };
  }

  async #compare({ path, kind, files }: Copy): Promise<Comparison> {
    const isPrompt = kind === 'prompt';
    const main = /^(?:prompt\.txt|(?:skills\/[^/]+\/)?SKILL\.md)$/;
    const text = [...files].find(([file]) => main.test(file))?.[1].toString('utf8') ?? '';
    const name = (isPrompt ? /([a-z0-9-]+)(?:\.prompt)?\.\w+$/.exec(path) : /^name: ([a-z0-9-]+)\r?$/m.exec(text))?.[1];
    const exact = this.#exact(text, isPrompt, name);
    // The agent that replaces a withdrawn one often has most of its lines.
    const isWithdrawn =
      exact === null && !this.#byName.has(name ?? '') && (await this.published.isWithdrawn(name ?? ''));
    const { agent, reading } = exact ?? { agent: isWithdrawn ? null : this.#nearest(text, name), reading: null };
    if (agent === null) {
      const status = isWithdrawn ? 'withdrawn' : 'unknown';
      return { status, agent: null, revision: null, version: null, newer: null, formerSlug: null, diff: '' };
    }
    if (!isPrompt) return this.#comparedFiles(agent, files, path);
    if (reading !== null) return { status: reading.status, ...about(agent, sha256Of(reading.text)), diff: '' };
    const original = mostSimilar(text, await this.published.promptTexts(agent));
    const diff = diffOf('prompt.txt', original, plain(text));
    return { status: 'changed', ...about(agent, sha256Of(original)), diff };
  }

  /** The agent with exactly this text, in one of its readings. Of several, the one with the name of the copy. */
  #exact(text: string, isPrompt: boolean, name = ''): { agent: AgentRevisions; reading: Reading } | null {
    const named = this.#byName.get(name);
    for (const reading of readings(text, isPrompt)) {
      const digest = sha256Of(reading.text);
      const agent = named && digestsOf(named).includes(digest) ? named : this.#byDigest.get(digest);
      if (agent !== undefined) return { agent, reading };
    }
    return null;
  }

  /** The agent that has the name of a copy, if they share some lines, or else the one with the most of its lines. */
  #nearest(text: string, name = ''): AgentRevisions | null {
    const lines = new Set(lineDigests(plain(text)));
    const share = ({ lines: theirs }: AgentRevisions) => {
      const each = theirs.match(/.{8}/g) ?? [];
      return each.filter((line) => lines.has(line)).length / Math.max(each.length, 1);
    };
    const named = this.#byName.get(name);
    if (named !== undefined && share(named) >= enoughIfNamed) return named;
    const shares = this.published.revisions.agents.map((agent) => ({ agent, share: share(agent) }));
    const best = shares.sort((a, b) => b.share - a.share)[0];
    return best !== undefined && best.share >= enough ? best.agent : null;
  }

  /** Compares a skill or plugin with the version that it is a copy of. */
  async #comparedFiles(agent: AgentRevisions, files: Files, path: string): Promise<Comparison> {
    const plugin = await this.#versionOf(agent, files);
    const archive = await this.#archive(plugin);
    const folder = `skills/${plugin.name}/`;
    const skill = archive.get(`${folder}SKILL.md`)?.toString('utf8') ?? '';
    const isPlugin = !files.has('SKILL.md');
    // SKILL.md may be copied alone.
    const isAlone = files.size === 1 && path.endsWith('.md');
    const originals = [...archive]
      .filter(([file]) => isPlugin || (isAlone ? file === `${folder}SKILL.md` : file.startsWith(folder)))
      .map(([file, bytes]) => [isPlugin ? file : file.slice(folder.length), bytes] as const);
    const { status, diff } = compared(files, new Map(originals));
    const match = about(agent, /^ {2}sha256: "([0-9a-f]{64})"$/m.exec(skill)?.[1] ?? '');
    const newer = agent.plugins[0] === plugin ? null : (agent.plugins[0]?.version ?? null);
    const formerSlug = plugin.name === agent.slug ? null : plugin.name;
    return { ...match, status, version: plugin.version, newer, formerSlug, diff };
  }

  /** The version that files are a copy of: the version of their manifest, or the one with their SKILL.md, or else the most similar one. */
  async #versionOf({ plugins }: AgentRevisions, files: Files): Promise<Plugin> {
    const manifest = files.get('.claude-plugin/plugin.json')?.toString('latin1') ?? '';
    const [, ofName, ofVersion] = /"name": "([a-z0-9-]+)",\s*"version": "([\d.]+)"/.exec(manifest) ?? [];
    const skill = [...files].find(([file]) => /(?:^|\/)SKILL\.md$/.test(file))?.[1] ?? Buffer.alloc(0);
    const match =
      plugins.find(({ name, version }) => name === ofName && version === ofVersion) ??
      plugins.find((plugin) => plugin.skill === sha256Of(skill));
    if (match !== undefined) return match;
    const texts = new Map<string, Plugin>();
    for (const plugin of plugins.slice(0, mostCompared).reverse()) {
      const original = (await this.#archive(plugin)).get(`skills/${plugin.name}/SKILL.md`);
      texts.set(original?.toString('utf8') ?? '', plugin);
    }
    return texts.get(mostSimilar(skill.toString('utf8'), [...texts.keys()].reverse())) as Plugin;
  }

  async #archive({ name, version, sha256 }: Plugin): Promise<Map<string, Buffer>> {
    const path = `plugins/${name}-${version}.zip`;
    const bytes = await this.published.read(path);
    if (sha256Of(bytes) === sha256) return unzip(path, bytes);
    throw new OperationError(
      `${this.published.name}: ${path} does not have the digest in api/revisions.json. If the site is being updated, try again.`,
    );
  }
}

/** The digests of all prompts and of every SKILL.md that an agent had. */
function digestsOf({ prompts, plugins }: AgentRevisions): string[] {
  return [...prompts.map(({ sha256 }) => sha256), ...plugins.map(({ skill }) => skill ?? '')];
}

/** The facts of a verdict about an agent, and about the revision of its prompt with a digest. */
function about({ slug, issue, url, prompts }: AgentRevisions, digest: string) {
  const index = prompts.findIndex(({ sha256 }) => sha256 === digest);
  const [revision, newest] = [prompts[index], prompts[0]];
  return {
    agent: { slug, issue, url },
    revision: revision === undefined ? null : { number: prompts.length - index, of: prompts.length, ...revision },
    version: null,
    newer: revision === newest ? null : (newest?.date ?? null),
    formerSlug: null,
  };
}

/** Compares files with the original ones: each that differs, is missing or was added is in the diff. */
function compared(files: Files, originals: Files): Pick<Comparison, 'status' | 'diff'> {
  let status: Comparison['status'] = 'unchanged';
  const diffs = [...new Set([...originals.keys(), ...files.keys()])].map((file) => {
    const [own, original] = [files.get(file), originals.get(file)];
    if (own !== undefined && original?.equals(own)) return '';
    const [before = '', after = ''] = [original, own].map((bytes) => bytes && plain(bytes.toString('utf8')));
    const diff = diffOf(file, before, after);
    if (status !== 'changed') status = diff === '' ? 'line-ends' : 'changed';
    return diff;
  });
  return { status, diff: diffs.join('') };
}

/** A text with LF line endings, and one newline at its end. */
function plain(text: string): string {
  return `${servedText(text).trimEnd()}\n`;
}

/** The text that shares the most lines with another; lines that only one of them has count against it. */
function mostSimilar(text: string, [first = '', ...others]: readonly string[]): string {
  const lines = new Set(lineDigests(plain(text)));
  const score = (each: string) => {
    const digests = lineDigests(each);
    return 2 * digests.filter((line) => lines.has(line)).length - digests.length;
  };
  return others.reduce((best, each) => (score(each) > score(best) ? each : best), first);
}
