import type { z } from 'zod';

/** Returns the value at `path`. */
export function valueAt(root: unknown, path: (string | number)[]): unknown {
  return path.reduce((value, key) => (value as Record<string | number, unknown> | null | undefined)?.[key], root);
}

/**
 * Returns the schema of the value at `path`; undefined if the path cannot be followed through objects, lists and
 * wrappers.
 */
function schemaAt(schema: z.ZodType, path: (string | number)[]): z.ZodType | undefined {
  let current: unknown = unwrap(schema);
  for (const key of path) {
    const { shape, element, valueType } = unwrap(current as z.ZodType) as {
      shape?: Record<string, unknown>;
      element?: unknown;
      valueType?: unknown;
    };
    current = shape !== undefined ? shape[key] : (element ?? valueType);
    if (current === undefined) return undefined;
  }
  return current as z.ZodType;
}

function unwrap(schema: z.ZodType): z.ZodType {
  let current = schema as z.ZodType & { unwrap?: () => z.ZodType; element?: unknown };
  while (typeof current.unwrap === 'function' && current.element === undefined) current = current.unwrap();
  return current;
}

/** Returns the keys of the object at `path`. */
export function knownKeys(schema: z.ZodType, path: (string | number)[]): string[] {
  const at = schemaAt(schema, path);
  const { shape } = (at === undefined ? {} : unwrap(at)) as { shape?: Record<string, unknown> };
  return Object.keys(shape ?? {});
}

/** Returns the setting that lists the allowed values at `path`. */
export function listedIn(schema: z.ZodType, path: (string | number)[]): string | undefined {
  return schemaAt(schema, path)?.meta()?.setting as string | undefined;
}

/** Returns the description of the value at `path`, in a form that continues a sentence. */
export function describe(schema: z.ZodType, path: (string | number)[]): string | undefined {
  const text = schemaAt(schema, path)?.description;
  return text !== undefined && /^[A-Z][a-z ]/.test(text) ? text[0]?.toLowerCase() + text.slice(1) : text;
}
