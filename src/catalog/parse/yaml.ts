import yaml from 'js-yaml';

/**
 * js-yaml 4 with its core schema, in which dates stay text; anchors are refused by its (undocumented) listener.
 *
 * Throws for anything that is not well-formed.
 */
export function parseYaml(source: string): unknown {
  return yaml.load(source, {
    schema: yaml.CORE_SCHEMA,
    listener(_event, state) {
      if ((state as { anchor?: string | null }).anchor != null) throw new Error('anchor');
    },
  });
}
