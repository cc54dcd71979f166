import yaml from 'js-yaml';

/**
 * Parses YAML with js-yaml 4 and its core schema, in which dates stay text. It refuses anchors through an undocumented
 * listener of the library.
 *
 * Throws if the text is malformed.
 */
export function parseYaml(source: string): unknown {
  return yaml.load(source, {
    schema: yaml.CORE_SCHEMA,
    listener(_event, state) {
      if ((state as { anchor?: string | null }).anchor != null) throw new Error('anchor');
    },
  });
}
