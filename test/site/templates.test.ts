import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ContentError } from '../../src/schema/diagnostics/content-error.ts';
import { compileTemplates } from '../../src/site/shared/templates.ts';

/** The author of a template with a mistake gets the line, the column and the fix. */

const source = (name: string, text: string) => ({ name, file: `templates/${name}`, text });

/** Returns the problems found when some templates are compiled and rendered with the values of a page. */
function problems(...sources: ReturnType<typeof source>[]): { at: string; message: string; hint: string }[] {
  try {
    compileTemplates(sources, { shout: (value: string) => value.toUpperCase() }).render('page', { title: 'Title' });
  } catch (error) {
    assert.instance(error, ContentError);
    return (error as ContentError).diagnostics.map(({ file, line, column, endColumn, message, hint }) => ({
      at: `${file}:${line}:${column}-${endColumn}`,
      message,
      hint,
    }));
  }
  return [];
}

const compare = "Compare your template with the program's template of the same name.";
const check = 'Check that every {{ has a matching }}, and that blocks are closed in reverse order.';
const malformed = 'This is not well-formed Handlebars, here or just before.';
const missing = (name: string) => `The template uses \`${name}\`, which does not exist here.`;
const fails = (what: string, why: string) => `${what} fails here (${why}).`;
const arguments_ = 'Check the values that helpers and partials get, and that no partial includes itself.';
const open = (mark: string) => `\`${mark}\` is opened but never closed.`;

const rows: [name: string, text: string, at: string, message: string, hint: string][] = [
  ['a value that does not exist', '{{titel}}', '1:3-8', missing('titel'), compare],
  ['a value of a value that does not exist', '\n{{a.b.c}}', '2:3-8', missing('a.b.c'), compare],
  ['an argument of a value that does not exist', '\n{{#if a.b}}{{/if}}', '2:7-10', missing('a.b'), compare],
  ['a value on a later line', '<h1>\n<p>\n  {{titel}}\n', '3:5-10', missing('titel'), compare],
  ['a partial that does not exist', 'a\n{{> mark}}\n', '2:5-9', missing('partials/mark.hbs'), compare],
  [
    'a partial whose name is also in the text',
    '{{title}} mark\n{{> mark}}\n',
    '2:5-9',
    missing('partials/mark.hbs'),
    compare,
  ],
  [
    'a partial after one that exists',
    '{{#*inline "line"}}{{/inline}}{{> line}} mark\n{{> mark}}\n',
    '2:5-9',
    missing('partials/mark.hbs'),
    compare,
  ],
  [
    'a value that a helper cannot use',
    'a\n  {{shout 5}}\n',
    '2:3-4',
    fails('The helper `shout`', 'value.toUpperCase is not a function'),
    arguments_,
  ],
  [
    'a helper that lacks a value',
    '{{#if title}}\n{{#if (shout nothing)}}{{/if}}{{/if}}',
    '2:7-8',
    fails('The helper `shout`', "Cannot read properties of undefined (reading 'toUpperCase')"),
    arguments_,
  ],
  ['a helper that does not exist', 'a\n {{whisper title}}\n', '2:4-11', missing('whisper'), compare],
  [
    'a block that is never closed',
    'a\n  {{#if title}}\nb\n',
    '2:3-16',
    open('{{#if title}}'),
    'Close it with {{/if}}.',
  ],
  [
    'a block after a closed one',
    '{{#if title}}{{/if}}\n{{#each title}}',
    '2:1-16',
    open('{{#each title}}'),
    'Close it with {{/each}}.',
  ],
  [
    'a block within a closed one',
    '{{#if title}}\n {{#each title}}\n{{/if}}',
    '2:2-17',
    open('{{#each title}}'),
    'Close it with {{/each}}.',
  ],
  [
    'a block that takes the space before it',
    'a {{~#if title}} b',
    '1:3-17',
    open('{{~#if title}}'),
    'Close it with {{/if}}.',
  ],
  [
    'a block with a space before its name',
    '{{# if title}} b',
    '1:1-15',
    open('{{# if title}}'),
    'Close it with {{/if}}.',
  ],
  [
    'a block with a hyphen in its name',
    '{{#my-if title}} b',
    '1:1-17',
    open('{{#my-if title}}'),
    'Close it with {{/my-if}}.',
  ],
  ['braces that are not closed', 'a\n\n{{title</p>\n', '3:1-2', malformed, check],
  ['the end of a block that was not opened', 'a\n{{/if}}\n', '2:1-2', malformed, check],
];
for (const [name, text, at, message, hint] of rows) {
  test(`${name} is reported with its location and the fix`, () => {
    assert.equal(problems(source('page.hbs', text)), [{ at: `templates/page.hbs:${at}`, message, hint }]);
  });
}

test('every template with a mistake is reported at once', () => {
  const found = problems(source('page.hbs', '{{#if title}}'), source('other.hbs', 'a\n{{'), source('fine.hbs', 'a'));
  assert.equal(
    found.map(({ at }) => at),
    ['templates/other.hbs:2:1-2', 'templates/page.hbs:1:1-14'],
  );
});

test('a mistake in a partial is reported there, and not in the page that uses it', () => {
  const found = problems(source('page.hbs', 'a\n{{> line}}'), source('partials/line.hbs', 'b\nc\n{{titel}}'));
  assert.equal(found, [{ at: 'templates/partials/line.hbs:3:3-8', message: missing('titel'), hint: compare }]);
});

test('a partial that includes itself is named', () => {
  const found = problems(source('page.hbs', '{{> line}}'), source('partials/line.hbs', 'b\n{{> line}}'));
  assert.equal(
    found.map(({ at, message }) => [at, message]),
    [['templates/partials/line.hbs:1:1-2', fails('The template', 'Maximum call stack size exceeded')]],
  );
});

test('a value is shown even if a helper has its name, and a helper can still be called', () => {
  const helpers = { title: (value: string) => `helped ${value}` };
  const templates = compileTemplates([source('page.hbs', '{{title}}, {{title title}}')], helpers);
  assert.is(templates.render('page', { title: 'Title' }), 'Title, helped Title');
  assert.throws(() => templates.render('page', {}), /template\/syntax in templates\/page\.hbs/);
});

test('the same text is compiled again for other helpers', () => {
  const render = (helpers: object) =>
    compileTemplates([source('page.hbs', '{{title}}!')], helpers as Record<string, () => string>);
  assert.is(render({}).render('page', { title: 'One' }), 'One!');
  assert.is(render({ title: () => 'helped' }).render('page', { title: 'Two' }), 'Two!');
});

test('a page without a template is named', () => {
  assert.throws(() => compileTemplates([], {}).render('nothing', {}), 'There is no template nothing.hbs.');
});

test.run();
