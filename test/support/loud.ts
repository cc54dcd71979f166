/** Wraps a hook so that what it throws is printed: uvu loses it, and the tests would silently not run. */
export function loud<State>(hook: (state: State) => unknown): (state: State) => Promise<void> {
  return async (state) => {
    try {
      await hook(state);
    } catch (error) {
      console.error(error);
      throw error;
    }
  };
}
