import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FLUX = { parameters: { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } } };
const OPEN = 'I would like a table for';
const WHOLE = 'I would like a table for four.';
/** The pause of an open sentence, and of one with a full stop. */
const OPEN_PAUSE_MS = 1_500;
const MARKED_PAUSE_MS = 200;
const SPEECH_END_MS = 1_500;
const PROVIDER_END_MS = 1_700;

/** The provider ends its turn 200 ms after the speech. */
function callWith(text: string, agent: Scenario['agent']): Simulation {
  return new Simulation({ ...FLUX, agent })
    .at(0.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 500 }))
    .at(SPEECH_END_MS / 1000, (call) => call.media.emit({ type: 'speech_stopped', audioMs: SPEECH_END_MS }))
    .at(PROVIDER_END_MS / 1000, (call) =>
      call.emitTranscriberEvent({ type: 'turn', phase: 'ended', text, startMs: 500, endMs: SPEECH_END_MS }),
    )
    .runUntil(10);
}

describe('turn_detection', () => {
  it.each(['auto', 'provider'] as const)('%s: the transcriber that detects turns ends the turn', (turn_detection) => {
    expect(callWith(OPEN, { turn_detection }).commandTimesMs('model.request')).toEqual([PROVIDER_END_MS]);
  });

  it.each(['rules', 'model'] as const)(
    '%s: its end of a turn makes the words final, the rules decide',
    (turn_detection) => {
      const [open] = callWith(OPEN, { turn_detection }).commandTimesMs('model.request');
      expect(open).toBe(SPEECH_END_MS + OPEN_PAUSE_MS);
      const [whole] = callWith(WHOLE, { turn_detection }).commandTimesMs('model.request');
      expect(whole).toBe(SPEECH_END_MS + MARKED_PAUSE_MS);
    },
  );
});

describe('the end of an utterance', () => {
  it('does not end the turn while the user has begun to speak again', () => {
    const call = new Simulation({ agent: {} })
      .userSpeaks(0.5, 1.5, OPEN)
      .at(2.4, (call) => call.media.emit({ type: 'speech_started', audioMs: 2_400 }))
      .at(2.6, (call) => call.emitTranscriberEvent({ type: 'utterance_end', lastWordEndMs: 1_500 }))
      .at(4, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 4_000 }))
      .at(4.2, (call) => call.emitFinal(2.4, 4, 'four people.'))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue[0]).toBe(`user: ${OPEN} four people.`);
  });

  it('does not end it either if the last word ends later than the voice activity, and finals are late', () => {
    const parameters = { transcriberTraits: { detectsTurns: false, wordEndSlackMs: 250, finalP99Ms: 326 } };
    const call = new Simulation({ agent: {}, parameters })
      .at(2.54, (call) => call.media.emit({ type: 'speech_started', audioMs: 2_540 }))
      .at(4.92, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 4_920 }))
      .at(6.12, (call) => call.media.emit({ type: 'speech_started', audioMs: 6_120 }))
      .at(6.24, (call) => call.emitFinal(2.54, 4.935, 'Good morning, I am calling because my'))
      .at(6.8, (call) => call.emitTranscriberEvent({ type: 'utterance_end', lastWordEndMs: 4_935 }))
      .at(8.14, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 8_140 }))
      .at(8.94, (call) => call.emitFinal(6.12, 8.14, 'washing machine has stopped working.'))
      .runUntil(15);
    expect(call.commandTimesMs('model.request')).toEqual([8_940]);
    expect(call.heard).toHaveLength(1);
    expect(call.dialogue[0]).toBe('user: Good morning, I am calling because my washing machine has stopped working.');
    expectReplay(call);
  });
});
