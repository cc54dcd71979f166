/** Returns a function that calls `make` when it is first called itself, and returns the same value each time. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same for a function with parameters, but only the value for the last arguments is kept. */
export function onceForLast<Args extends readonly unknown[], Value>(
  make: (...args: Args) => Value,
): (...args: Args) => Value {
  let last: { args: Args; value: Value } | undefined;
  return (...args) => {
    if (last === undefined || args.some((argument, index) => argument !== last?.args[index])) {
      last = { args, value: make(...args) };
    }
    return last.value;
  };
}

/** The same for a function of a text or number: `make` is called once for each. */
export function onceForEach<Key extends string | number, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}

/** Returns a function that runs tasks one after the other, in the order of the calls. A task that fails does not stop the next one. */
export function inTurn(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const done = last.then(task);
    last = done.catch(() => {});
    return done;
  };
}

/** Is called again and again during a long task, with its name and how much of it is done. */
export type OnProgress = (task: string, done: number, total: number) => void;
