import { describe, expect, it } from 'vitest';
import { SPEECH_STOP_LATENESS_MS } from '../../../engine/ports/media.ts';
import { MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const TRAITS = { detectsTurns: false, finalP99Ms: 326, wordEndSlackMs: 250, punctuates: true };
const LATENESS_S = SPEECH_STOP_LATENESS_MS / 1000;

/** Voice activity whose end is reported late, as by the media worker. */
function activity(call: Simulation, fromS: number, toS: number): Simulation {
  return call
    .at(fromS, ({ media }) => media.emit({ type: 'speech_started', audioMs: fromS * 1000 }))
    .at(toS + LATENESS_S, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: toS * 1000 }));
}

describe('voice activity after the last word', () => {
  const FINAL_MS = 1_900;

  it.each([
    [
      'that the final covers does not delay the end of the turn',
      { coveredMs: FINAL_MS },
      FINAL_MS + 200 + MODEL_MS + VOICE_MS,
    ],
    ['may have another word, which is waited for', {}, FINAL_MS + 1_200],
  ])('%s', (_case, covered, heardMs) => {
    const words = [{ text: 'Tuesday.', startMs: 1_000, endMs: 1_500 }];
    const final = { type: 'final', text: 'Tuesday.', words, startMs: 1_000, endMs: 1_500, ...covered } as const;
    const call = activity(new Simulation({ agent: {}, parameters: { transcriberTraits: TRAITS } }), 1, 1.9)
      .at(FINAL_MS / 1000, (call) => call.emitTranscriberEvent(final))
      .runUntil(10);
    expect(call.heard[0]?.fromMs).toBe(heardMs);
    expectReplay(call);
  });
});

describe('a call whose finals come before the end of the speech is reported', () => {
  const FINAL_AFTER_S = 0.15;
  /** The pause after words without punctuation at their end. */
  const PAUSE_MS = 500;

  it('waits for missing words as long as for its finals', () => {
    const call = new Simulation({ agent: {}, parameters: { transcriberTraits: { ...TRAITS, punctuates: false } } });
    for (const startS of [1, 5, 9]) {
      activity(call, startS, startS + 1).at(startS + 1 + FINAL_AFTER_S, () =>
        call.emitFinal(startS, startS + 1, 'I want a table.'),
      );
    }
    activity(call, 13, 14).interimAt(13.4, 13, 'I want a table').runUntil(20);
    expect(call.commandTimesMs('model.request').at(-1)).toBe(14_000 + PAUSE_MS);
  });
});
