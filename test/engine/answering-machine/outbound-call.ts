import { CHARACTER_MS, VOICE_MS } from '../simulation/default-timing.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

/** Without a sound from the callee, the initial message is requested after this time. */
export const FIRST_WORD_WAIT_MS = 1_000;
/** The type is `unknown` if nothing has decided it by this time after the answer. */
export const CLASSIFICATION_MS_MAX = 4_000;
/** The silence that ends a machine's turn. */
export const END_SILENCE_MS = { voicemail: 1_800, ivr: 1_200, call_screening: 800 };
/** The longest turn of a machine, and the longest wait for the callee after a call screening. */
export const MACHINE_TURN_MS_MAX = 60_000;
export const SCREENING_WAIT_MS_MAX = 60_000;

export const INITIAL_MESSAGE = 'Hello, this is Anna.';
export const HANG_UP = { type: 'hang_up', name: 'bye' } as const;
export const MESSAGE = 'This is Anna. Please call us back.';
const LEAVE_MESSAGE = { type: 'leave_voicemail_message', name: 'leave_message', filler_sentence: MESSAGE } as const;

export const AGENT_WITH_MESSAGE = {
  initial_message: INITIAL_MESSAGE,
  states: [{ name: 'start', tools: [LEAVE_MESSAGE] }],
};
export const AGENT_WITHOUT_MESSAGE = {
  initial_message: INITIAL_MESSAGE,
  states: [{ name: 'start', tools: [HANG_UP] }],
};

/** The two sentences of `MESSAGE` with their starts, if the voice was asked for them at this time. */
export function messageFrom(requestedMs: number): [string, number][] {
  const [first, second] = ['This is Anna.', 'Please call us back.'] as const;
  return [
    [first, requestedMs + VOICE_MS],
    [second, requestedMs + VOICE_MS + first.length * CHARACTER_MS],
  ];
}

/** An outbound call that is answered at 0. */
export function outboundCall(agent: Scenario['agent'], scenario: Partial<Scenario> = {}): Simulation {
  const call = new Simulation({ agent, parameters: { direction: 'outbound' }, ...scenario });
  return call.at(0, () => call.emitControlEvent({ type: 'answered' }));
}

/** Plans speech with an interim after each second, and a final. */
export function speaksWithInterims(call: Simulation, from: number, to: number, text: string): Simulation {
  for (let at = from + 1; at < to; at++) {
    const spoken = text.slice(0, Math.round((text.length * (at - from - 0.3)) / (to - from)));
    call.interimAt(at, from, spoken.slice(0, Math.max(0, spoken.lastIndexOf(' '))));
  }
  return call.userSpeaks(from, to, text);
}

/** `[type, ms]` of each answer type that was reported. */
export function answerTypes(call: Simulation): readonly (readonly [string, number])[] {
  return call.journalEntries('answer_type').map(({ answerType, atUs }) => [answerType, atUs / 1000]);
}

export function heardStarts(call: Simulation): readonly (readonly [string, number])[] {
  return call.heard.map(({ text, fromMs }) => [text, fromMs]);
}
