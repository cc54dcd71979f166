/** Is called again and again during a long task, with its name and how much of it is done. */
export type OnProgress = (task: string, done: number, total: number) => void;
