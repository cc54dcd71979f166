import { listed, none, type Output } from '../output.ts';
import { accentColor } from '../shared/page.ts';
import { agentImage, publicationImage } from '../shared/urls.ts';
import type { Site } from '../site.ts';
import { Typesetter } from '../social-image/font.ts';
import { layOutAgent, layOutPublication, type SocialImage } from '../social-image/layout.ts';
import type { Deferred } from '../social-image/renderer.ts';

/** The social images: 1200×630 pixels, which no site that shows links crops. */
export const socialImage: Output = {
  path: 'og/{slug}.png',
  purpose: 'The social image of an agent, or of the publication (Open Graph)',
  inThreads: true,
  *files(site) {
    const { settings } = site;
    const publication = {
      title: settings.title,
      host: new URL(settings.baseUrl).host,
      tagline: settings.tagline,
      description: settings.description,
    };
    const fonts = {
      serif: new Typesetter(site.images.fonts, 'besley-basic.ttf'),
      sans: new Typesetter(site.images.fonts, 'libre-franklin-basic.ttf'),
    };
    const { weekday, longDate } = site.dates;
    for (const agent of site.agents) {
      const render = () => {
        const { slug, title, excerpt, issue, date, category, document } = agent;
        const { categoryLabel } = document;
        const day = { weekday: weekday(date), longDate: longDate(date) };
        const color = accentColor(settings, category);
        const texts = { slug, title, excerpt, issue, date, ...day, category, categoryLabel, color, publication };
        return draw(site, layOutAgent(fonts, texts));
      };
      yield { path: agentImage(agent.slug), inputs: listed([agent]), agent: agent.slug, render };
    }
    const color = accentColor(settings, '');
    yield {
      path: publicationImage,
      inputs: none(),
      render: () => draw(site, layOutPublication(fonts, { ...publication, color })),
    };
  },
};

function draw({ templates, images }: Site, image: SocialImage): Uint8Array | Deferred {
  return images.render(templates.render('social-image', image));
}
