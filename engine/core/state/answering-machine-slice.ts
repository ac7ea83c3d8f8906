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
  /** Speech of the machine that the agent waits out. `none` again once the agent answers it. */
  readonly machineSpeech: 'none' | 'speaking' | 'finished';
  /** End of the last beep. */
  readonly beepUs: number | null;
  /** Special information tones (ITU-T E.180) were heard. */
  readonly sitHeard: boolean;
  /** The machine's greeting has ended. */
  readonly greetingHeard: boolean;
  /** The last turn after the menu had no words of a machine: the agent probably talks with a person. */
  readonly isPersonLikely: boolean;
  /** The last user turn before digits were sent to a menu; null once the wait for the menu’s next words is over. */
  readonly digitsSentAfterTurn: number | null;
  /** The agent has stated the purpose of the call to the call screening. */
  readonly purposeSaid: boolean;
}

export const DETECTION_OFF: AnsweringMachineState = {
  detection: 'off',
  type: null,
  corrected: false,
  machineSpeech: 'none',
  beepUs: null,
  sitHeard: false,
  greetingHeard: false,
  isPersonLikely: false,
  digitsSentAfterTurn: null,
  purposeSaid: false,
};

export const INITIAL_ANSWERING_MACHINE: AnsweringMachineSlice = { answeringMachine: DETECTION_OFF };

/** The agent talks with a menu, and not with a person behind it: it waits for no answer and listens to no apology. */
export function isMenu({ type, isPersonLikely }: AnsweringMachineState): boolean {
  return type === 'ivr' && !isPersonLikely;
}
