import type { AgentConfiguration } from '../../agent/agent-schema.ts';
import type { EndReason } from '../../ports/end-reason.ts';
import type { CallParameters } from './call-parameters.ts';

/** Topic `lifecycle`: the agent and the call parameters, the state of the agent's graph, and the end of the call. */
export interface LifecycleSlice {
  /** All calls of an agent version share this object. */
  readonly agent: AgentConfiguration;
  readonly parameters: CallParameters;
  /** Index into `agent.states`. */
  readonly stateIndex: number;
  /** The 2xx was sent to a source that may be forged: the call is answered, its conversation is not open. */
  readonly isAccepted: boolean;
  /** Start of the conversation. */
  readonly answeredUs: number | null;
  /** Set once: later reasons are ignored. */
  readonly endReason: EndReason | null;
  /**
   * The rules have decided to end the call after the reply that announces it. If the reply is dropped, this decision
   * stays. A request of the model to end the call (`Reply.followUp`) is revoked.
   */
  readonly decidedEnd: EndReason | null;
  /** The failure that ends the call, as text for the operator. */
  readonly failure: { readonly reason: EndReason; readonly detail: string } | null;
  readonly legEndedUs: number | null;
  /** Texts that the API added to the model's context. */
  readonly notes: readonly string[];
  readonly counters: Counters;
}

/** The last number issued of each kind; each rises by one. */
export interface Counters {
  readonly reply: number;
  readonly segment: number;
  readonly generation: number;
  readonly extraction: number;
  readonly summary: number;
  readonly sequence: number;
  readonly item: number;
  readonly turn: number;
}

const COUNTERS: Counters = {
  reply: 0,
  segment: 0,
  generation: 0,
  extraction: 0,
  summary: 0,
  sequence: 0,
  item: 0,
  turn: 0,
};

export function initialLifecycle(agent: AgentConfiguration, parameters: CallParameters): LifecycleSlice {
  return {
    agent,
    parameters,
    stateIndex: initialStateIndex(agent),
    isAccepted: false,
    answeredUs: null,
    endReason: null,
    decidedEnd: null,
    failure: null,
    legEndedUs: null,
    notes: [],
    counters: COUNTERS,
  };
}

/** The graph check requires that the initial state exists. An agent that fails the check starts in its first state. */
export function initialStateIndex(agent: AgentConfiguration): number {
  return Math.max(
    0,
    agent.states.findIndex((state) => state.name === agent.initial_state_name),
  );
}
