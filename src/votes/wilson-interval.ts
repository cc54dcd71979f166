/** The value of a standard normal variable that 97.5 % of all values are below, for an interval of 95 %. */
const z = 1.959964;

/**
 * Returns the range, from 0 to 1, that contains the true share of yes with a probability of 95 %: the Wilson score interval,
 * which is also right for few votes and for shares near 0 or 1. `votes` is at least 1.
 */
export function wilsonInterval(yes: number, votes: number): { low: number; high: number } {
  const share = yes / votes;
  const spread = z ** 2 / votes;
  const center = (share + spread / 2) / (1 + spread);
  const half = (z * Math.sqrt((share * (1 - share)) / votes + spread / (4 * votes))) / (1 + spread);
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
