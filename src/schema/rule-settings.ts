import * as z from 'zod';
import { allRules, isAdjustable } from './rules.ts';

const fixed = z
  .string()
  .refine((severity) => severity === 'error', {
    error: '"error", because builds depend on this rule',
    params: { hint: 'Remove this line, and fix the errors that the rule reports.' },
  })
  .meta({ const: 'error' });

/** The setting `rules`: the severity of each rule that a catalog changes. Rules that builds depend on only accept `error`. */
export const ruleSettings = z.strictObject(
  Object.fromEntries(
    allRules.map(({ code, summary }) => {
      const setting = isAdjustable(code) ? z.enum(['error', 'warning', 'off']) : fixed;
      return [code, setting.optional().describe(summary)];
    }),
  ),
);
