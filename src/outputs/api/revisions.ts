import { type Zone, zone } from '../../calendar.ts';
import { sha256Of } from '../../digest.ts';
import { revisionOf } from '../../schema/plugins.ts';
import { type AgentRevisions, lineDigests, revisionsPath } from '../../schema/revisions.ts';
import { archivePath } from '../install/marketplace.ts';
import type { Digest, Output } from '../output.ts';
import { jsonParts } from '../shared/json-parts.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** The digests by which `catalog verify` recognizes copies of prompts, skills and plugins. */
const output: Output = {
  path: revisionsPath,
  purpose: 'Digests of every revision of every agent, to verify copies (getRevisions)',
  *files(site) {
    const { agents, history, settings } = site;
    const head = { complete: history.size > 0 };
    const releases = earlierReleases(site);
    const calendar = zone(settings.timezone);
    const entries = agents.map((agent) => {
      const changes = promptChanges(agent, site);
      const earlier = releases.get(agent.slug) ?? [];
      const version = site.plugins.of(agent);
      return {
        input: `${agent.fingerprint.whole} ${sha256Of(JSON.stringify([version, changes, earlier]))}`,
        value: (digest: Digest) => revisionsOf(agent, { version, changes, earlier, digest, calendar }),
      };
    });
    yield {
      path: revisionsPath,
      inputs: [JSON.stringify(head), ...entries.map(({ input }) => input)],
      render: (digest) =>
        jsonParts(
          head,
          'agents',
          entries.map(({ input, value }) => ({ input, value: () => value(digest) })),
        ),
    };
  },
};
export default output;

interface Known {
  version: string;
  changes: ReturnType<typeof promptChanges>;
  earlier: readonly EarlierRelease[];
  digest: Digest;
  calendar: Zone;
}

function revisionsOf(agent: PublishedAgent, { version, changes, earlier, digest, calendar }: Known): AgentRevisions {
  const { slug, issue, document, formerSlugs, prompt } = agent;
  const current = sha256Of(prompt);
  const prompts = new Map<string, string>();
  // A text that is not committed yet.
  if (changes[0]?.sha256 !== current) prompts.set(current, agent.changedOn);
  for (const [index, { sha256, time }] of changes.entries()) {
    // A revision begins with the first commit that has its text. One that came back later is listed once.
    const continues = changes[index - 1]?.sha256 === sha256;
    if (continues || !prompts.has(sha256)) prompts.set(sha256, calendar.today(new Date(time)));
  }
  const skill = digest(`.well-known/agent-skills/${slug}/SKILL.md`);
  return {
    slug,
    issue,
    url: document.url,
    formerSlugs: [...(formerSlugs ?? [])],
    prompts: [...prompts].map(([sha256, date]) => ({ sha256, date })),
    plugins: [{ name: slug, version, skill }, ...earlier].map(({ name, version, skill }) => ({
      name,
      version,
      sha256: digest(archivePath(name, version)),
      skill,
    })),
    lines: lineDigests(prompt).join(''),
  };
}

/** The commits that changed the prompt of an agent, or moved it, with the digest that it then had, newest first. */
function promptChanges({ slug, formerSlugs }: PublishedAgent, { history }: Site) {
  return [slug, ...(formerSlugs ?? [])]
    .flatMap((name) => history.get(name) ?? [])
    .flatMap(({ time, prompt }) => (prompt?.sha256 ? [{ time, sha256: prompt.sha256 }] : []))
    .sort((a, b) => b.time - a.time);
}

interface EarlierRelease {
  name: string;
  version: string;
  skill: string | null;
}

/** The earlier versions of plugins by the slug of their agent, newest first, those under former slugs last. */
function earlierReleases({ agents, moved, plugins, published }: Site): Map<string, EarlierRelease[]> {
  const current = new Map(agents.map((agent) => [agent.slug, plugins.of(agent)]));
  const found = new Map<string, EarlierRelease[]>();
  for (const [name, slug] of [...[...current.keys()].map((name) => [name, name] as const), ...moved]) {
    const releases = (published.releases.get(name) ?? [])
      .filter(({ version }) => version !== current.get(name))
      .sort((a, b) => (revisionOf(b.version) ?? 0) - (revisionOf(a.version) ?? 0))
      .map(({ version, skill }) => ({ name, version, skill }));
    if (releases.length > 0) found.set(slug, [...(found.get(slug) ?? []), ...releases]);
  }
  return found;
}
