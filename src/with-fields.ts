/**
 * Copies an object with other values for some fields. Unlike `{ ...object }`, it does not call getters, such as those of
 * an agent's long texts.
 */
export function withFields<Given extends object, Fields extends object>(
  object: Given,
  fields: Fields,
): Omit<Given, keyof Fields> & Fields {
  const own = Object.getOwnPropertyDescriptors(object);
  return Object.defineProperties({}, { ...own, ...Object.getOwnPropertyDescriptors(fields) }) as never;
}
