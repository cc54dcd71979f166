import { visible } from '../text-safety/printable.ts';

/** Markup, which is not escaped again. */
export interface Html {
  html: string;
}

/** A template of HTML or SVG: every value that is not Html is shown as text, whatever it contains. Lists are joined. */
export function html(parts: TemplateStringsArray, ...values: (string | number | Html | readonly Html[])[]): Html {
  return { html: parts.map((part, index) => part + markup(values[index] ?? '')).join('') };
}

function markup(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return visible(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return 'html' in value ? value.html : value.map((each) => each.html).join('\n');
}
