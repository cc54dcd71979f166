/** Styles of emails. Mail programs drop stylesheets and variables, so each element has its styles inline. */

const serif = 'Georgia, serif';
const sans = 'Arial, sans-serif';
const mono = 'Courier New, monospace';
const ink = '#1d1a16';
const quiet = '#615b50';
const link = '#a6331b';
const line = '#d9d3c5';

const paragraph = `margin: 0 0 16px; font-family: ${sans}; font-size: 16px; line-height: 1.5;`;

/** The inline styles by the name of an element, for the templates. */
export const mailStyles = {
  page: 'margin: 0; padding: 0; background-color: #fbf9f4;',
  preheader: 'display: none; max-height: 0; overflow: hidden;',
  frame: 'width: 100%; border-collapse: collapse; background-color: #fbf9f4;',
  column: 'width: 100%; max-width: 600px; margin: 0 auto; border-collapse: collapse;',
  cell: 'padding: 24px 16px; text-align: start; word-break: break-word;',
  masthead: `margin: 0 0 24px; padding: 0 0 8px; border-bottom: 1px solid ${line}; font-family: ${sans}; font-size: 14px; line-height: 1.5; color: ${quiet};`,
  first: `margin: 0 0 8px; font-family: ${serif}; font-size: 30px; line-height: 1.2; color: ${ink};`,
  second: `margin: 24px 0 8px; font-family: ${serif}; font-size: 20px; line-height: 1.3; color: ${ink};`,
  text: `${paragraph} color: ${ink};`,
  quiet: `margin: 0 0 16px; font-family: ${sans}; font-size: 14px; line-height: 1.5; color: ${quiet};`,
  plate: `margin: 0 0 16px; padding: 16px; background-color: #f3efe6; font-family: ${mono}; font-size: 14px; line-height: 1.5; color: ${ink}; white-space: pre-wrap; word-break: break-word;`,
  button: `display: inline-block; padding: 12px 20px; border: 1px solid #fbf9f4; background-color: ${link}; font-family: ${sans}; font-size: 16px; font-weight: bold; line-height: 1.25; color: #fbf9f4; text-decoration: none;`,
  link: `color: ${link};`,
  plain: `color: ${ink}; text-decoration: none;`,
  muted: `color: ${quiet}; text-decoration: none;`,
  foot: `margin: 32px 0 0; padding: 16px 0 0; border-top: 1px solid ${line}; font-family: ${sans}; font-size: 14px; line-height: 1.6; color: ${quiet};`,
} as const;

/** The colors of dark mode, by the class of an element; programs that know no media queries invert colors themselves. */
export const darkStyles = `@media (prefers-color-scheme: dark) {
.paper { background-color: #161512 !important; }
.plate { background-color: #1f1d19 !important; color: #ebe6dc !important; }
.ink { color: #ebe6dc !important; }
.quiet { color: #aaa294 !important; }
.quiet, th, td, tr { border-color: #3a362f !important; }
.link { color: #ff9d84 !important; }
}`;
