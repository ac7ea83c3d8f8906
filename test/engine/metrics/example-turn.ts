import type { TurnRecord } from '../../../engine/ports/turn-record.ts';

/** A user turn that was answered by a model, with a tool. */
export const EXAMPLE_TURN: TurnRecord = {
  turn: 1,
  startUs: 2_000_000,
  user: {
    sequence: 3,
    endedBy: 'pause',
    score: 0.875,
    reasons: ['closing'],
    endedMs: 300,
    committedMs: 900,
    reopened: 1,
    amended: 2,
    corrected: false,
  },
  utterance: 4,
  askedMs: [-100, 310],
  firstTokenMs: 500,
  voiceRequestedMs: 600,
  firstAudioMs: 690,
  heardMs: 700,
  answerHeardMs: 700,
  fillersMs: [],
  tools: [{ toolCallId: 'call_1', name: 'lookup', startedMs: 900, endedMs: null }],
  interrupted: true,
  falseInterruptions: 3,
  ducked: 4,
  echoWords: 5,
};
