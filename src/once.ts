/** Returns a function that calls `make` when it is first called itself, and returns the same value each time. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
