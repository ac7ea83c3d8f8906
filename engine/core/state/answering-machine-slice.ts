import type { AnswerType } from '../../ports/answer-type.ts';

/** Topic `answering-machine`. */
export interface AnsweringMachineSlice {
  readonly answeringMachine: AnsweringMachineState;
}

/** Answering machine detection on an outbound call. */
export interface AnsweringMachineState {
  /** `off`: an inbound call, or the type can change no more. */
  readonly detection: 'off' | 'deciding' | 'decided';
  readonly type: AnswerType | null;
  /** A known type was corrected once: the second type stands. */
  readonly corrected: boolean;
  /** A machine that does not listen plays its message: the agent waits until it has finished. */
  readonly speech: 'none' | 'speaking' | 'finished';
  /** End of the last beep. */
  readonly beepUs: number | null;
  /** Special information tones (ITU-T E.180) were heard. */
  readonly sitHeard: boolean;
  /** The machine's greeting was heard to its end. */
  readonly greetingHeard: boolean;
  /** The call screening was told the purpose of the call. */
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
  purposeSaid: false,
};

export const INITIAL_ANSWERING_MACHINE: AnsweringMachineSlice = { answeringMachine: NOT_DETECTED };
