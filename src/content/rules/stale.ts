import { locationsInYaml } from '../../schema/diagnostics/yaml-location.ts';
import { evalMessages } from '../../schema/messages/evals.ts';
import type { EditorialRule } from './rule.ts';

/** Recorded answers were made with the current prompt and the current input of their case. */
export const stale: EditorialRule = {
  code: 'editorial/stale',
  check: ({ agent, texts }) =>
    (agent.evals?.answers ?? []).flatMap(({ case: name, folder, recorded, stale }) => {
      if (stale === null) return [];
      const file = `evals/recordings/${folder}/recording.json`;
      return [
        {
          file,
          location: locationsInYaml(texts.get(file) ?? '')(['cases', name, `${stale}Sha256`], { key: true }),
          ...evalMessages.answerStale(stale, recorded.model, name, recorded.date),
        },
      ];
    }),
};
