import { locationsInYaml } from '../../schema/diagnostics/yaml-location.ts';
import { sampleCase } from '../../schema/evals.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { grade, kindOf, tooSlow } from '../evals/grade.ts';
import type { EditorialRule } from './rule.ts';

/**
 * The sample output passes the checks of the case `sample`.
 *
 * Left to the reviewer: whether the checks fail a bad answer.
 */
export const checks: EditorialRule = {
  code: 'editorial/checks',
  check({ agent, texts }) {
    const sample = agent.evals?.cases.find(({ name }) => name === sampleCase);
    if (sample === undefined) return [];
    const locationOf = locationsInYaml(texts.get('evals/checks.yaml') ?? '');
    return grade(sample.checks, agent.sampleOutput, sample.input).flatMap(({ failure }, index) => {
      const check = sample.checks[index];
      if (failure === null || check === undefined) return [];
      return [
        {
          file: 'evals/checks.yaml',
          location: locationOf([sampleCase, 'checks', index, kindOf(check)], { key: true }),
          ...textMessages.sampleFailsCheck(failure, failure === tooSlow),
        },
      ];
    });
  },
};
