import type { Wording } from '../diagnostics/diagnostic.ts';

/** Problems with a catalog's own templates and fonts, and with the social image. */

/** `proposal` is a template with a similar name, if there is one. */
export function unknownTemplate(name: string, proposal: string | undefined, known: readonly string[]): Wording {
  return {
    message: `templates/${name} does not replace a template of the program, so it would never be used.`,
    hint:
      proposal === undefined
        ? `Rename it to one of these templates, or delete it: ${known.join(', ')}.`
        : `Did you mean ${proposal}?`,
  };
}

/** `obstacle` says what it is instead, such as "/catalog/templates is a file". */
export function templatesNotAFolder(obstacle: string): Wording {
  return { message: `${obstacle}.`, hint: 'Make templates/ a folder of your own templates, or remove it.' };
}

export function unknownValue(name: string): Wording {
  return {
    message: `The template uses \`${name}\`, which does not exist here.`,
    hint: "Compare your template with the program's template of the same name.",
  };
}

/** `opening` is the whole tag that opens the block. */
export function blockNotClosed(opening: string, name: string): Wording {
  return { message: `\`${opening}\` is opened but never closed.`, hint: `Close it with {{/${name}}}.` };
}

export const notHandlebars: Wording = {
  message: 'This is not well-formed Handlebars, here or just before.',
  hint: 'Check that every {{ has a matching }}, and that blocks are closed in reverse order.',
};

/** `reason` is what the renderer says. */
export function socialImageNotDrawn(reason: string): Wording {
  return {
    message: `The social image can't be drawn: ${reason.replace(/\.?\s*$/, '')}.`,
    hint: 'The template must render a well-formed SVG document of 1200 by 630 pixels.',
  };
}

export function notAFont(name: string): Wording {
  return {
    message: `templates/fonts/${name} is not a TrueType or OpenType font.`,
    hint: 'Convert web fonts (.woff2) to .ttf.',
  };
}
