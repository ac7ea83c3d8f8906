import type { EntityKind } from '../languages/clause-words.ts';

/** The expectations of the call about the user's words. */
export interface TurnExpectation {
  /** The last question or request of the agent; empty without one. */
  readonly question: string;
  /** The kinds of values that unset variables and the parameters of the state's tools ask for. */
  readonly wanted: ReadonlySet<EntityKind>;
  /** The state expects dictated or spelled words. */
  readonly entityDetection: boolean;
  /** The transcriber puts marks at the ends of sentences. */
  readonly punctuates: boolean;
  /** Pauses within this user's turns of the call, in ms, the latest last. */
  readonly pausesMs: readonly number[];
  /** How probable an acoustic model finds the end of the turn at this pause; null without its answer. */
  readonly acousticProbability: number | null;
}

export const NO_EXPECTATION: TurnExpectation = {
  question: '',
  wanted: new Set(),
  entityDetection: false,
  punctuates: false,
  pausesMs: [],
  acousticProbability: null,
};
