import { type PluginRelease, type PublishedPlugins, revisionOf, versionOf } from '../../schema/plugins.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { pluginFiles } from './plugin.ts';

/** The versions that the last build gave to plugins, with what decided each. */
export type KnownVersions = readonly (readonly [name: string, key: string, version: string])[];

/**
 * The versions of plugins. A plugin keeps the version of its last release as long as its files are the same, and gets
 * the next one otherwise, whatever changed them: the agent, the settings or the program. A plugin without a release gets
 * its version from the number of changes of the agent in Git.
 */
export class PluginVersions {
  readonly #site: Pick<Site, 'settings'>;
  readonly #published: PublishedPlugins;
  readonly #before: ReadonlyMap<string, readonly [key: string, version: string]>;
  readonly #found = new Map<string, readonly [key: string, version: string]>();

  /** `before` saves the comparison of plugins that did not change since the last build. */
  constructor(site: Pick<Site, 'settings'>, published: PublishedPlugins, before: KnownVersions = []) {
    this.#site = site;
    this.#published = published;
    this.#before = new Map(before.map(([name, ...known]) => [name, known]));
  }

  of(agent: PublishedAgent): string {
    const found = this.#found.get(agent.slug) ?? this.#find(agent);
    this.#found.set(agent.slug, found);
    return found[1];
  }

  /** What the next build can use. */
  get known(): KnownVersions {
    return [...this.#found].filter(([, [key]]) => key !== '').map(([name, known]) => [name, ...known]);
  }

  #find(agent: PublishedAgent): readonly [key: string, version: string] {
    const last = this.#lastRelease(agent.slug);
    if (last === null) return ['', versionOf(agent.revision)];
    const key = [agent.fingerprint.whole, last.version, ...last.files.map(([, blob]) => blob)].join();
    const before = this.#before.get(agent.slug);
    if (before?.[0] === key) return before;
    return [key, this.#isUnchanged(agent, last) ? last.version : versionOf((revisionOf(last.version) ?? 0) + 1)];
  }

  #lastRelease(name: string): PluginRelease | null {
    const releases = [...(this.#published.releases.get(name) ?? [])];
    return releases.sort((a, b) => (revisionOf(b.version) ?? 0) - (revisionOf(a.version) ?? 0))[0] ?? null;
  }

  #isUnchanged(agent: PublishedAgent, release: PluginRelease): boolean {
    try {
      return this.#published.isRelease(release, pluginFiles(this.#site, agent, release.version));
    } catch {
      // An agent that cannot be rendered is reported when its files are rendered.
      return true;
    }
  }
}
