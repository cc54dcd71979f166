import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allRules, type RuleCode } from '../../src/diagnostics/codes.ts';
import { prettyReport } from '../../src/diagnostics/report.ts';
import { describeOutputs } from '../../src/outputs/index.ts';
import { configExtensions } from '../../src/schema/config-files.ts';
import { diagnosticsOf } from '../support/diagnose.ts';
import { editorialMistakes } from '../support/editorial-mistakes.ts';
import { type Mistake, mistakes } from '../support/mistakes.ts';

/** Pages of docs/ that are made from the code, so that they cannot go stale. UPDATE=1 writes them anew. */

function isCurrent(name: string, text: string): void {
  const file = new URL(`../../docs/${name}`, import.meta.url);
  if (process.env.UPDATE === '1') writeFileSync(file, text);
  assert.is(readFileSync(file, 'utf8'), text);
}

/** The first row of the table of editorial mistakes that breaks a rule. */
function editorialMistake(code: RuleCode): Mistake | undefined {
  const name = code.replace('editorial/', '');
  const row = editorialMistakes.find(([, , expected]) => [expected].flat().some((line) => line.split(' ')[1] === name));
  return row === undefined
    ? undefined
    : { name: row[0], code, at: '', agents: [{ slug: 'a', date: '2026-01-01', ...row[1] }] };
}

test('docs/rules.md has every rule, with an example of what is reported', async () => {
  const lines = [
    '# Rules',
    '',
    'Every rule that `catalog validate` holds a catalog to, by its code. Codes never change. Errors of structure stop a',
    'build of what they concern; the rules of `editorial/` judge the writing and stop nothing but `validate`.',
    '',
    'This page is made from the rules and the table of mistakes in the tests.',
  ];
  for (const { code, severity, summary } of allRules) {
    const mistake = mistakes.find((mistake) => mistake.code === code) ?? editorialMistake(code);
    assert.ok(mistake, `no row of the table of mistakes breaks ${code}`);
    const diagnostics = (await diagnosticsOf(mistake)).filter((diagnostic) => diagnostic.code === code);
    const report = prettyReport(diagnostics, { color: false }).split('\n').slice(0, -2).join('\n');
    lines.push('', `## ${code}`, '', `${severity === 'error' ? 'Error' : 'Warning'}. ${summary}`, '');
    lines.push(`Example, ${mistake.name}:`, '', '```', report, '```');
  }
  isCurrent('rules.md', `${lines.join('\n')}\n`);
});

test('README.md names every format that a config can have', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
  assert.match(readme, `${configExtensions.slice(0, -1).join(', ')} or ${configExtensions.at(-1)}.`);
});

test('docs/outputs.md has every output', () => {
  const rows = describeOutputs().map(
    ({ path, type, purpose }) => `| \`${path}\` | ${type === null ? 'by its ending' : `\`${type}\``} | ${purpose} |`,
  );
  const lines = [
    '# Outputs',
    '',
    'Everything that `catalog build` renders, in the order in which it is put in place; `build.json` comes last. The table',
    'is made from the registry in `src/outputs/index.ts`.',
    '',
    '| path | type | what it is |',
    '|---|---|---|',
    ...rows,
  ];
  isCurrent('outputs.md', `${lines.join('\n')}\n`);
});

test.run();
