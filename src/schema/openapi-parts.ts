/** Parts of an OpenAPI description. */

/** A reference to a schema among the components. */
export function reference(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

/** A JSON response with a named schema, and with an example unless it is undefined. */
export function ok(description: string, schema: string, example: unknown) {
  const content = { schema: reference(schema) };
  return { description, content: { 'application/json': example === undefined ? content : { ...content, example } } };
}

/** The parameter `slug` in a path, with an example if one is known. */
export function slugParameter(example: string | undefined) {
  const parameter = { name: 'slug', in: 'path', required: true, description: 'The slug of the agent' };
  return { ...parameter, schema: { type: 'string' }, ...(example === undefined ? {} : { example }) };
}
