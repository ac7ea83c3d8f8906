import type { AgentConfiguration } from '../agent/agent.ts';
import { givenVariables } from '../variables/initial-variables.ts';
import type { CallFacts } from './call-parameters.ts';
import type { AnswerProgress, CallContext, CallerTurn } from './context.ts';
import { NOTHING_FAILED } from './failover-state.ts';

export const SILENT_CALLER: CallerTurn = {
  speaking: false,
  startedUs: null,
  endedUs: null,
  finals: [],
  finalEndedUs: null,
  interim: null,
  native: null,
  endOfTurn: false,
  due: false,
  cutShort: false,
  takenUntilMs: 0,
  takenWords: 0,
  finalUntilMs: 0,
  line: null,
};

export const NOBODY_ANSWERED: AnswerProgress = {
  watch: 'off',
  type: null,
  corrected: false,
  machine: 'none',
  beepUs: null,
  sit: false,
  listened: false,
  purposeTold: false,
};

export function initialContext(agent: AgentConfiguration, facts: CallFacts): CallContext {
  return {
    agent,
    facts,
    stateIndex: initialStateIndex(agent),
    answeredUs: null,
    endReason: null,
    ending: null,
    gaveUp: null,
    legGoneUs: null,
    greeting: agent.initial_message === '' ? 'done' : 'due',
    answer: NOBODY_ANSWERED,
    heldUs: null,
    heldBy: [],
    quiet: false,
    caller: SILENT_CALLER,
    finalLagsMs: [],
    eager: { running: null, asked: '', missesInRow: 0 },
    reply: null,
    interruption: null,
    lastCut: null,
    lastSaid: [],
    history: [],
    summary: { text: null, running: null, dropped: [], callIds: [] },
    tools: [],
    busySaid: 0,
    keys: [],
    sayings: [],
    notes: [],
    digits: { pressed: null, entries: [] },
    owed: false,
    variables: givenVariables(agent, facts),
    variablesResolved: false,
    missed: new Set(),
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
    failover: NOTHING_FAILED,
    presence: { asked: 0, pausedUntilUs: 0 },
    numbers: { utterance: 0, segment: 0, generation: 0, extraction: 0, summary: 0, sequence: 0, item: 0, turn: 0 },
    tally: {
      interruptions: 0,
      falseInterruptions: 0,
      inputTokens: 0,
      outputTokens: 0,
      voiceCharacters: 0,
      measured: [],
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
