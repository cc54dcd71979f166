import { availableParallelism } from 'node:os';

/** How many processes a mutation test uses: as many as there are cores, unless the environment says otherwise. */
export const processes = Math.max(1, Number(process.env.MUTATION_PROCESSES ?? availableParallelism()));
