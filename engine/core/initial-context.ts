import type { AgentConfiguration } from '../agent/agent.ts';
import { initialVariables } from '../variables/initial-variables.ts';
import type { CallParameters } from './call-parameters.ts';
import type { AnsweringMachineState, CallContext, UserTurn } from './context.ts';
import { NO_FAILURES } from './failover-state.ts';

export const SILENT_USER: UserTurn = {
  speaking: false,
  startedUs: null,
  endedUs: null,
  finals: [],
  finalEndedUs: null,
  interim: null,
  providerTurn: null,
  endOfTurn: false,
  complete: false,
  overMonologueLimit: false,
  committedUntilMs: 0,
  committedWords: 0,
  finalUntilMs: 0,
  entry: null,
};

export const NOT_DETECTED: AnsweringMachineState = {
  detection: 'off',
  type: null,
  corrected: false,
  speech: 'none',
  beepUs: null,
  sitHeard: false,
  greetingHeard: false,
  purposeSaid: false,
};

export function initialContext(agent: AgentConfiguration, parameters: CallParameters): CallContext {
  return {
    agent,
    parameters: parameters,
    stateIndex: initialStateIndex(agent),
    answeredUs: null,
    endReason: null,
    decidedEnd: null,
    failure: null,
    legEndedUs: null,
    greeting: agent.initial_message === '' ? 'done' : 'scheduled',
    answeringMachine: NOT_DETECTED,
    onHoldSinceUs: null,
    heldBy: [],
    idle: false,
    userTurn: SILENT_USER,
    finalLatenciesMs: [],
    eager: { running: null, askedWords: '', consecutiveMisses: 0 },
    reply: null,
    interruption: null,
    lastDroppedReply: null,
    lastPlayedSegments: [],
    history: [],
    summary: { text: null, running: null, dropped: [], callIds: [] },
    runningTools: [],
    toolFillersSaid: 0,
    outgoingDtmf: [],
    queuedSpeech: [],
    notes: [],
    dtmf: { openEntry: null, entries: [] },
    pendingResponse: false,
    variables: initialVariables(agent, parameters),
    variablesResolved: false,
    missingVariables: new Set(),
    extraction: {
      running: null,
      asked: [],
      askedUs: 0,
      through: 0,
      models: [],
      stale: false,
      readThrough: 0,
      read: new Set(),
    },
    failover: NO_FAILURES,
    presence: { checks: 0, pausedUntilUs: 0 },
    counters: { utterance: 0, segment: 0, generation: 0, extraction: 0, summary: 0, sequence: 0, item: 0, turn: 0 },
    metrics: {
      interruptions: 0,
      falseInterruptions: 0,
      inputTokens: 0,
      outputTokens: 0,
      voiceCharacters: 0,
      turns: [],
      eagerHits: 0,
      eagerMisses: 0,
    },
  };
}

/** An agent that passed the graph check has its initial state; any other starts at the first. */
export function initialStateIndex(agent: AgentConfiguration): number {
  return Math.max(
    0,
    agent.states.findIndex((state) => state.name === agent.initial_state_name),
  );
}
