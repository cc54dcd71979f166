import { ContentError, diagnose, OperationError } from '../diagnostics/diagnostic.ts';
import type { Output } from '../outputs/output.ts';
import { accentColour } from '../outputs/shared/accents.ts';
import { type DateNames, dateNames } from '../outputs/shared/dates.ts';
import type { PublishedAgent, Site } from '../outputs/site.ts';
import { type Typesetter, typesetter } from './typesetting.ts';

/** The picture that links to an agent are shared with. Its size is in the layout's meta elements too. */
export function agentPicture(slug: string): string {
  return `og/${slug}.png`;
}

/** The picture of every other page. No agent can have this slug. */
export const publicationPicture = agentPicture('catalog');

/** 1200×630, what the places where links are shared cut nothing off. */
export default {
  path: 'og/{slug}.png',
  type: 'image/png',
  purpose: 'The picture that links to an agent, or to the publication, are shared with',
  *files(site) {
    const press = pressOf(site);
    for (const agent of site.agents) {
      yield {
        path: agentPicture(agent.slug),
        agent: agent.slug,
        render: () => draw(site, ofAgent(press, site, agent)),
      };
    }
    yield { path: publicationPicture, render: () => draw(site, ofPublication(press, site)) };
  },
} satisfies Output;

/** Where the text of the template stands, in pixels: the margin for the number, and the text beside it. */
const margin = { width: 264 };
const column = { width: 736, top: 206, bottom: 574 };
const headline = {
  sizes: [
    { size: 92, lines: 2 },
    { size: 84, lines: 2 },
    { size: 76, lines: 3 },
    { size: 68, lines: 3 },
    { size: 62, lines: 3 },
    { size: 56, lines: 4 },
    { size: 50, lines: 4 },
    { size: 46, lines: 4 },
  ],
  leading: 1.08,
  ascent: 0.78,
};
const standfirst = { size: 29, leading: 42, gap: 50, lines: 4 };

interface Press {
  serif: Typesetter;
  sans: Typesetter;
  dates: DateNames;
}

/** What the template gets; every text is one that the fonts can draw. */
interface Picture {
  colour: string;
  /** At the top, on the left. */
  name: Line;
  /** At the top, on the right. */
  aside: Line | null;
  /** In the margin; without an issue the mark of the publication stands there. */
  issue: { number: Line; day: Line; date: Line } | null;
  /** Above the headline. */
  kicker: Line | null;
  headline: { size: number; lines: PlacedLine[] };
  standfirst: { size: number; lines: PlacedLine[] };
}

interface Line {
  /** Of the font, in pixels. */
  size: number;
  text: string;
}

interface PlacedLine {
  text: string;
  /** Of its baseline, from the top of the picture. */
  y: number;
}

function pressOf({ pictures, settings }: Site): Press {
  return {
    serif: typesetter(pictures.fonts, 'besley-basic.ttf'),
    sans: typesetter(pictures.fonts, 'libre-franklin-basic.ttf'),
    dates: dateNames(settings.language),
  };
}

function ofAgent(press: Press, { settings }: Site, { document, category }: PublishedAgent): Picture {
  const { serif, sans, dates } = press;
  const { slug, title, issue, date, excerpt, categoryLabel } = document;
  const small = [24, 22, 20, 18];
  return {
    colour: accentColour(settings, category),
    name: line(sans, nameOf(sans, settings), 520, [28, 25, 22]),
    aside: optionalLine(sans, settings.tagline, 460, [22, 20, 18]),
    issue: {
      number: line(serif, String(issue), margin.width, [176, 150, 124, 104, 84, 60]),
      day: line(sans, sans.drawable(dates.weekday(date)) ?? '', margin.width, small),
      date: line(sans, sans.drawable(dates.longDate(date)) ?? date, margin.width, small),
    },
    kicker: line(sans, sans.drawable(categoryLabel) ?? category, column.width, [28, 24]),
    ...articleOf(serif, serif.drawable(title) ?? wordsOf(slug), serif.drawable(excerpt)),
  };
}

function ofPublication({ serif, sans }: Press, { settings }: Site): Picture {
  return {
    colour: accentColour(settings, ''),
    name: line(sans, new URL(settings.baseUrl).host, column.width, [28, 25, 22]),
    aside: null,
    issue: null,
    kicker: optionalLine(sans, settings.tagline, column.width, [28, 24]),
    ...articleOf(serif, nameOf(serif, settings), serif.drawable(settings.description)),
  };
}

/** The headline, and below it as much of the other text as there is room for. */
function articleOf(serif: Typesetter, title: string, text: string | null): Pick<Picture, 'headline' | 'standfirst'> {
  const { size, lines } = serif.set(title, { width: column.width, sizes: headline.sizes, balanced: true });
  const first = column.top + size * headline.ascent;
  const placed = lines.map((text, index) => ({ text, y: Math.round(first + index * size * headline.leading) }));
  const begin = (placed.at(-1)?.y ?? column.top) + size * 0.2 + standfirst.gap;
  const room = Math.min(standfirst.lines, 1 + Math.floor((column.bottom - begin) / standfirst.leading));
  const below =
    text === null || room < 1
      ? []
      : serif.set(text, { width: column.width, sizes: [{ size: standfirst.size, lines: room }] }).lines;
  return {
    headline: { size, lines: placed },
    standfirst: {
      size: standfirst.size,
      lines: below.map((text, index) => ({ text, y: Math.round(begin + index * standfirst.leading) })),
    },
  };
}

function line(font: Typesetter, text: string, width: number, sizes: readonly number[]): Line {
  const { size, lines } = font.set(text, { width, sizes: sizes.map((size) => ({ size, lines: 1 })) });
  return { size, text: lines.join('') };
}

function optionalLine(font: Typesetter, text: string, width: number, sizes: readonly number[]): Line | null {
  const drawable = font.drawable(text);
  return drawable === null ? null : line(font, drawable, width, sizes);
}

/** The name of the publication; its host, which is in Latin letters, where the fonts lack letters of the name. */
function nameOf(font: Typesetter, { title, baseUrl }: Site['settings']): string {
  return font.drawable(title) ?? new URL(baseUrl).host;
}

/** The words of a slug as a headline: what stands for a title whose letters no font has. */
function wordsOf(slug: string): string {
  const words = slug.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function draw({ templates, pictures }: Site, picture: Picture): Uint8Array {
  const svg = templates.render('share-picture', picture);
  try {
    return pictures.render(svg);
  } catch (error) {
    if (error instanceof OperationError) throw error;
    const { message } = error as Error;
    throw new ContentError([
      diagnose({
        code: 'template/picture',
        file: 'templates/share-picture.hbs',
        message: `The share picture can't be drawn: ${message.replace(/\.?\s*$/, '')}.`,
        hint: 'The template has to give a well-formed SVG document of 1200 by 630 pixels.',
      }),
    ]);
  }
}
