import type { AnswerType } from '../../ports/answer-type.ts';

/** Topic `answering-machine`. */
export interface AnsweringMachineSlice {
  readonly answeringMachine: AnsweringMachineState;
}

/** Answering machine detection on an outbound call. */
export interface AnsweringMachineState {
  /** `provisional`: the type is known and may still change. `off`: an inbound call, or the type is final. */
  readonly detection: 'off' | 'deciding' | 'provisional';
  readonly type: AnswerType | null;
  /** A known type was corrected. There is only one correction. */
  readonly corrected: boolean;
  /** A voicemail greeting or recording; the agent waits until it is `finished`. */
  readonly speech: 'none' | 'speaking' | 'finished';
  /** End of the last beep. */
  readonly beepUs: number | null;
  /** Special information tones (ITU-T E.180) were heard. */
  readonly sitHeard: boolean;
  /** The machine's greeting has ended. */
  readonly greetingHeard: boolean;
  /** Number of the last user turn before digits were sent to a menu; null after the agent speaks. */
  readonly sentDigitsAfterTurn: number | null;
  /** The agent has stated the purpose of the call to the call screening. */
  readonly purposeSaid: boolean;
}

export const NOT_DETECTED: AnsweringMachineState = {
  detection: 'off',
  type: null,
  corrected: false,
  speech: 'none',
  beepUs: null,
  sitHeard: false,
  greetingHeard: false,
  sentDigitsAfterTurn: null,
  purposeSaid: false,
};

export const INITIAL_ANSWERING_MACHINE: AnsweringMachineSlice = { answeringMachine: NOT_DETECTED };
