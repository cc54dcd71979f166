/** Runs `use` while what is to be done every minute is collected instead of done. */
export async function withMinuteTasks(use: (tasks: readonly (() => unknown)[]) => Promise<void>): Promise<void> {
  const tasks: (() => unknown)[] = [];
  const { setInterval } = globalThis;
  globalThis.setInterval = ((task: () => unknown, ms: number) => {
    if (ms !== 60_000) return setInterval(task, ms);
    tasks.push(task);
    return setInterval(() => {}, ms);
  }) as typeof setInterval;
  try {
    await use(tasks);
  } finally {
    globalThis.setInterval = setInterval;
  }
}
