import type { Recorded } from '../schema/evals.ts';

/** Something that answers messages: an API, a command, or a person who pastes answers. */
export interface Model {
  /** Its name, as the provider names it. */
  name: string;
  made: Recorded['made'];
  /** Throws NoAnswer if there is no answer. */
  ask(message: string): Promise<Reply>;
}

/** An answer, and what recording.json says about it. */
export interface Reply extends Pick<Recorded, 'tokens' | 'note'> {
  text: string;
}

/** There is no answer, or none that can be stored. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether no other message would get an answer either, as with a wrong key. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}
