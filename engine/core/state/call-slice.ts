import type { AgentConfiguration } from '../../agent/agent.ts';
import type { EndReason } from '../../ports/end-reason.ts';
import type { CallParameters } from '../call-parameters.ts';

/** Topic `lifecycle`: what the call was started with, where it stands in the agent's graph, and why it ends. */
export interface CallSlice {
  /** Shared by all calls of a version. */
  readonly agent: AgentConfiguration;
  readonly parameters: CallParameters;
  /** Index into `agent.states`. */
  readonly stateIndex: number;
  readonly answeredUs: number | null;
  /** Set once: the first reason stands. */
  readonly endReason: EndReason | null;
  /**
   * The call itself has decided to end, after the reply that announces it. A dropped reply does not revoke this; it does
   * revoke what the model asked for (`Reply.followUp`).
   */
  readonly decidedEnd: EndReason | null;
  /** The failure that ends the call, in words for the operator. */
  readonly failure: { readonly reason: EndReason; readonly detail: string } | null;
  readonly legEndedUs: number | null;
  /** Texts that the API added to the model's context. */
  readonly notes: readonly string[];
  readonly counters: Counters;
}

/** The last number issued of each kind; each rises by one. */
export interface Counters {
  readonly utterance: number;
  readonly segment: number;
  readonly generation: number;
  readonly extraction: number;
  readonly summary: number;
  readonly sequence: number;
  readonly item: number;
  readonly turn: number;
}

const COUNTERS: Counters = {
  utterance: 0,
  segment: 0,
  generation: 0,
  extraction: 0,
  summary: 0,
  sequence: 0,
  item: 0,
  turn: 0,
};

export function initialCall(agent: AgentConfiguration, parameters: CallParameters): CallSlice {
  return {
    agent,
    parameters,
    stateIndex: initialStateIndex(agent),
    answeredUs: null,
    endReason: null,
    decidedEnd: null,
    failure: null,
    legEndedUs: null,
    notes: [],
    counters: COUNTERS,
  };
}

/** The graph check requires that the initial state exists; an agent that fails it starts at its first state. */
export function initialStateIndex(agent: AgentConfiguration): number {
  return Math.max(
    0,
    agent.states.findIndex((state) => state.name === agent.initial_state_name),
  );
}
