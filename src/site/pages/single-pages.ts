import { type AgentDocument, promptLicense, toJson } from '../../schema/documents.ts';
import { generalMessages, subscribedText } from '../../schema/reader-message.ts';
import { contributedPrompts } from '../../text/agent-sections.ts';
import { withoutShell } from '../../text/install-ways.ts';
import { plainText, quote } from '../../text/markdown-text.ts';
import { catalogOf } from '../api/api.ts';
import { installTabs, mcpSetup } from '../install/install-source.ts';
import { listed, none, type Output, single, upcoming, whole } from '../output.ts';
import { searchIndex, searchIndexJson } from '../search/search-index.ts';
import { documentOf, documentsOf } from '../shared/agent-document.ts';
import { categoriesOf, counted } from '../shared/groups.ts';
import { breadcrumbNode, listNode, publisherNode, renderPage, websiteId } from '../shared/page.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { leadValues } from './agent.ts';

/** How many agents the home page shows besides the newest. */
const newest = 12;
/** How many of today's steps it shows. */
const firstSteps = 3;

const homePage = single(
  'index.html',
  "Today's agent and the newest ones",
  (site) => {
    const categories = categoriesOf(site);
    const [newest] = site.agents;
    const lead = newest === undefined ? null : documentOf(newest);
    const page = lead === null ? null : site.url.link(`agents/${lead.slug}`);
    return renderPage(
      site,
      {
        template: 'home',
        title: null,
        description: site.settings.description,
        path: '',
        section: 'today',
        saysNext: true,
        // The home page has the color of the newest agent's category.
        ...(newest === undefined ? {} : { category: newest.category, plates: true }),
        graph: [websiteNode(site), ...(newest === undefined ? [] : [listNode(site, '', homeAgents(site))])],
      },
      {
        lead,
        steps: lead?.steps.slice(0, firstSteps) ?? [],
        page,
        ...(newest === undefined || page === null
          ? { plate: null, result: null, madeFor: [] }
          : leadValues(site, newest, page)),
        categories: categories.map(counted),
        agents: documentsOf(site, homeAgents(site).slice(1)),
        count: site.agents.length,
        ways: installTabs(site, null),
      },
    );
  },
  (site) => [...whole(site.agents.slice(0, 1)), ...listed(site.agents), ...upcoming(site)],
);

/** Describes the publication. */
function websiteNode({ settings, url }: Site): object {
  return {
    '@type': 'WebSite',
    '@id': websiteId(url),
    url: url.absolute(),
    name: settings.title,
    alternativeHeadline: settings.tagline,
    description: settings.description,
    inLanguage: settings.language,
    publisher: publisherNode(settings),
  };
}

/** The agents that the home page shows. */
export function homeAgents({ agents }: Site): readonly PublishedAgent[] {
  return agents.slice(0, newest + 1);
}

const about = single(
  'about.html',
  'About the publication',
  (site) =>
    renderPage(
      site,
      {
        template: 'about',
        title: 'About',
        description: `What ${site.settings.title} is, and who publishes it.`,
        path: 'about',
        section: 'about',
        saysNext: true,
        alternates: [{ type: 'text/markdown', href: site.url.absolute('about.md'), title: 'Markdown' }],
        graph: [breadcrumbNode(site, [{ name: 'About', path: 'about' }])],
      },
      { count: site.agents.length },
    ),
  (site) => [...countOnly(site), ...upcoming(site)],
);

/** The same as Markdown, for language models. */
const aboutMarkdown = single(
  'about.md',
  'About the publication, as Markdown',
  ({ settings, agents, url }) => {
    const { name, url: publisherUrl } = settings.publisher;
    const parts = [
      `# About ${plainText(settings.title)}`,
      quote(plainText(settings.description)),
      '## What an agent is',
      'One prompt that does one real job, with what you need to judge it: the problem, the steps, a sample input with a trap in it, and a worked answer.',
      'Every prompt has three sections. **INPUT** says what to paste, **RULES** how the assistant works, and **OUTPUT** what it returns. Text that you paste is treated as data; a missing fact is written as “unknown”, never made up.',
      'Nothing runs on this site. Copy the prompt into the assistant that you already use, and compare its answer with the sample.',
      contributedPrompts,
      '## One a day',
      `Every agent is published on its date with a permanent number and address. Published so far: ${agents.length}. [The catalog](${url.absolute('api/agents.json')}) lists them all.`,
      '## Reuse',
      `The prompts are published under [${promptLicense.name}](${promptLicense.url}). You may copy, change and sell them if you name ${plainText(name)} and link to the agent.`,
      '## Follow',
      `- [Atom](${url.absolute('atom.xml')})\n- [RSS](${url.absolute('feed.xml')})\n- [JSON Feed](${url.absolute('feed.json')})`,
      '## Publisher',
      `[${plainText(name)}](${publisherUrl})`,
    ];
    return `${parts.join('\n\n')}\n`;
  },
  countOnly,
);

const developers = single(
  'developers.html',
  'How to use the API, MCP, the feeds and the skills',
  (site) =>
    renderPage(
      site,
      {
        template: 'developers',
        title: 'For developers',
        description: 'The JSON API, MCP, the text indexes, the feeds and the skills.',
        path: 'developers',
        section: 'developers',
        saysNext: true,
        plates: true,
        graph: [breadcrumbNode(site, [{ name: 'For developers', path: 'developers' }])],
      },
      {
        baseUrl: withoutShell(site.settings.baseUrl),
        runtimeUrl: site.settings.runtimeUrl,
        example: exampleOf(site),
        // An API response with only the newest agent.
        exampleJson:
          site.agents.length === 0 ? null : toJson({ ...catalogOf(site, 1), count: site.agents.length }).trimEnd(),
        categories: categoriesOf(site).map(({ key, label }) => ({ label, file: `${key}.xml` })),
        // Long paths may break after a slash.
        outputs: site.outputs.map((output) => ({ ...output, parts: output.path.split(/(?<=\/)/) })),
        mcp: mcpSetup(site.settings),
      },
    ),
  (site) => [...whole(site.agents.slice(0, 1)), ...listed(site.agents), ...upcoming(site)],
);

function countOnly({ agents }: Site): string[] {
  return [String(agents.length)];
}

/** The newest agent, with addresses for commands; null without agents. */
function exampleOf({ agents }: Site): AgentDocument | null {
  const [newest] = agents;
  if (newest === undefined) return null;
  const document = documentOf(newest);
  return { ...document, apiUrl: withoutShell(document.apiUrl), promptUrl: withoutShell(document.promptUrl) };
}

const notFoundPage = single(
  '404.html',
  'The page for an address that does not exist',
  (site) =>
    renderPage(
      site,
      {
        template: '404',
        title: 'Not found',
        description: 'There is no page at this address.',
        path: null,
        saysNext: true,
      },
      { agents: documentsOf(site, newestOf(site)) },
    ),
  (site) => [...listed(newestOf(site)), ...upcoming(site)],
);

function newestOf({ agents }: Site): readonly PublishedAgent[] {
  return agents.slice(0, 5);
}

/** A redirect page at each former address of an agent, so that no link to it breaks. */
const movedPage: Output = {
  path: 'agents/{former}.html',
  also: 'agents/{former}/index.html',
  purpose: 'A redirect from a former slug to the agent',
  *files(site) {
    for (const [former, slug] of site.moved) {
      const path = `agents/${former}`;
      const inputs = [slug, ...listed(site.agents.filter((agent) => agent.slug === slug))];
      yield { path: `${path}.html`, inputs, copy: `${path}/index.html`, render: () => pointer(site, former, slug) };
    }
  },
};

function pointer(site: Site, former: string, slug: string): string {
  const { title } = site.agents.find((agent) => agent.slug === slug) ?? { title: slug };
  const path = `agents/${slug}`;
  return renderPage(
    site,
    {
      template: 'moved',
      title: `${title} has moved from ${former}`,
      description: `${title}, which was called ${former}, is at another address.`,
      path,
      moved: true,
    },
    { path, title },
  );
}

/** The text of a page that answers a form or a link. */
interface Answer {
  title: string;
  text: string;
  description?: string;
  /** The button that does what the link in the email is for. */
  button?: string;
  /** Whether the reader should go back to the form. */
  back?: boolean;
}

/** Pages that the server answers forms and links in emails with. Nothing links to them. */
function answers(path: Output['path'], purpose: string, answersOf: (site: Site) => Record<string, Answer>): Output {
  return {
    path,
    purpose,
    *files(site) {
      for (const [name, answer] of Object.entries(answersOf(site))) {
        const { title, text, description = text, button = null, back = false } = answer;
        const render = () =>
          renderPage(site, { template: 'answer', title, description, path: null }, { title, text, button, back });
        yield { path: path.replace(/\{\w+\}/, name), inputs: none(), render };
      }
    },
  };
}

const thanks = answers('thanks/{form}.html', 'The page after a form was sent without JavaScript', (site) => ({
  vote: { title: 'Thank you for your vote', text: 'Your vote was recorded. Only the publisher reads notes.' },
  'sign-up': {
    title: 'Thank you for subscribing',
    text: `Your address was saved. ${subscribedText(site.settings.title)}`,
  },
}));

/** The pages that links in emails open. The server answers with them, so that a page that only opens changes nothing. */
const subscriptionPages = answers(
  'subscription/{page}.html',
  'A page that a link in an email opens, or that its button leads to',
  () => ({
    confirm: {
      title: 'Confirm your subscription',
      text: 'Press the button, and you are subscribed. Every email has a link to unsubscribe.',
      button: 'Subscribe',
    },
    confirmed: {
      title: 'You are subscribed',
      text: 'Your address is confirmed. Every email has a link to unsubscribe.',
    },
    unsubscribe: {
      title: 'Unsubscribe',
      text: 'Press the button, and you get no more of these emails.',
      button: 'Unsubscribe',
    },
    unsubscribed: { title: 'You are unsubscribed', text: 'You get no more of these emails.' },
    failed: {
      title: 'This link did not work',
      text: generalMessages.failed,
      description: 'The link in the email did not work.',
    },
  }),
);

const refused = answers('refused.html', 'The page when a form sent without JavaScript is refused', () => ({
  refused: {
    title: 'Not accepted',
    text: generalMessages.refused,
    description: 'The form was not accepted.',
    back: true,
  },
}));

const searchIndexFile = single(
  'search-index.json',
  'The search index (MiniSearch) that the pages load',
  ({ agents, settings, next }) => searchIndexJson(searchIndex(agents, settings.synonyms), next),
  ({ agents, next }) => [...listed(agents), JSON.stringify(next)],
);

export const singlePages: readonly Output[] = [
  movedPage,
  notFoundPage,
  thanks,
  refused,
  subscriptionPages,
  about,
  aboutMarkdown,
  developers,
  homePage,
  searchIndexFile,
];
