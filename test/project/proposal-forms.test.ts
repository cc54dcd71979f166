import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import * as z from 'zod';
import { editorialRules } from '../../src/content/rules/index.ts';
import { bundled } from '../support/catalog.ts';

/** People who propose an agent on GitHub get a form that GitHub shows, and the current editorial rules. */

const folder = join(bundled, '.github', 'ISSUE_TEMPLATE');
const read = (name: string) => parse(readFileSync(join(folder, name), 'utf8'));
const forms = readdirSync(folder).filter((name) => name.endsWith('.yml') && name !== 'config.yml');

const text = z.string().min(1);
const id = z.string().regex(/^[\w-]+$/);
const validations = z.strictObject({ required: z.boolean() }).optional();
const about = { label: text, description: text.optional() };
const field = <Type extends string, Shape extends z.ZodRawShape>(type: Type, attributes: Shape) =>
  z.strictObject({ type: z.literal(type), id, validations, attributes: z.strictObject({ ...about, ...attributes }) });
const typed = { placeholder: text.optional(), value: text.optional() };
const distinct = (texts: readonly string[]) => new Set(texts.map((one) => one.toLowerCase())).size === texts.length;

/** GitHub's syntax for issue forms: a form that breaks it is not offered, and nothing says so but its file on the site. */
const form = z.strictObject({
  name: text,
  description: text,
  title: text.optional(),
  body: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: text }) }),
        field('input', typed),
        field('textarea', { ...typed, render: text.optional() }),
        field('dropdown', { options: z.array(text).min(1).refine(distinct) }),
        field('checkboxes', {
          options: z.array(z.strictObject({ label: text, required: z.boolean().optional() })).min(1),
        }),
      ]),
    )
    .refine((elements) => elements.some(({ type }) => type !== 'markdown'), 'a form asks for something'),
});

for (const name of forms) {
  test(`${name} is a valid form for GitHub, with unique ids and labels`, () => {
    const { body } = form.parse(read(name));
    const fields = body.filter((element) => element.type !== 'markdown');
    assert.ok(distinct(fields.map((element) => element.id)));
    assert.ok(distinct(fields.map(({ attributes }) => attributes.label)));
  });
}

test('the forms have different names, and blank issues stay possible for everything else', () => {
  assert.equal(forms, ['propose-an-agent.yml', 'report-a-fault.yml', 'software-bug.yml']);
  assert.ok(distinct(forms.map((name) => read(name).name)));
  assert.equal(read('config.yml'), { blank_issues_enabled: true });
});

test('the checklist of a pull request has exactly the editorial rules', () => {
  const list = readFileSync(join(bundled, '.github', 'PULL_REQUEST_TEMPLATE.md'), 'utf8');
  const items = [...list.matchAll(/^- \[ \] \*\*([\w-]+)\*\* /gm)].map(([, name]) => `editorial/${name}`);
  assert.equal(items.sort(), [...editorialRules].sort());
});

test('every file except the agents has an owner who approves changes', () => {
  const lines = readFileSync(join(bundled, '.github', 'CODEOWNERS'), 'utf8').split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(/ +/));
  // GitHub uses the last matching rule. A rule without an owner requires no approval.
  assert.equal(rules, [['*', '@daily-agent-catalog/maintainers'], ['/agents/']]);
});

test.run();
