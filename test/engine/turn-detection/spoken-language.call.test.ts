import { describe, expect, it } from 'vitest';
import type { TranscriberEvent } from '../../../engine/ports/transcriber.ts';
import { FINAL_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 1_500;
const WHOLE_PAUSE_MS = 500;
const OPEN_PAUSE_MS = 1_500;

/** A turn of an agent that speaks English; with too few words to tell their language by themselves. */
function askedMs(text: string, language?: string): number {
  const final: TranscriberEvent = {
    type: 'final',
    text,
    ...(language === undefined ? {} : { language }),
    words: [],
    startMs: 500,
    endMs: SPEECH_END_MS,
  };
  const call = new Simulation({ agent: {} })
    .at(0.5, ({ media }) => media.emit({ type: 'speech_started', audioMs: 500 }))
    .at(SPEECH_END_MS / 1000, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: SPEECH_END_MS }))
    .at((SPEECH_END_MS + FINAL_MS) / 1000, (simulation) => simulation.emitTranscriberEvent(final))
    .runUntil(10);
  expectReplay(call);
  return call.heard[0]?.fromMs ?? 0;
}

describe('the language that the transcriber detects', () => {
  it('decides which words leave a turn open', () => {
    expect(askedMs('quiero cambiar la')).toBe(SPEECH_END_MS + WHOLE_PAUSE_MS);
    expect(askedMs('quiero cambiar la', 'es')).toBeGreaterThanOrEqual(SPEECH_END_MS + OPEN_PAUSE_MS);
    expect(askedMs('quiero cambiar la', 'es-MX')).toBeGreaterThanOrEqual(SPEECH_END_MS + OPEN_PAUSE_MS);
  });

  it('leaves the decision to the words if it has no rules', () => {
    expect(askedMs('I want to change the', 'ja')).toBeGreaterThanOrEqual(SPEECH_END_MS + OPEN_PAUSE_MS);
  });

  it('decides which late words make an answer wrong', () => {
    const times = { startMs: 500, endMs: SPEECH_END_MS, language: 'de' } as const;
    const call = new Simulation({
      agent: {},
      model: [{ text: 'Ich buche jetzt den Tisch. Und dann schicke ich die Zusage.' }, { text: 'Gut.' }],
    })
      .at(0.5, ({ media }) => media.emit({ type: 'speech_started', audioMs: 500 }))
      .at(1.45, (simulation) =>
        simulation.emitTranscriberEvent({ type: 'interim', text: 'Ich will einen Tisch', ...times }),
      )
      .at(SPEECH_END_MS / 1000, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: SPEECH_END_MS }))
      .at(3, (simulation) =>
        simulation.emitTranscriberEvent({ type: 'final', text: 'Ich will keinen Tisch', words: [], ...times }),
      )
      .runUntil(20);
    expect(call.heardTexts.at(-1)).toBe('Gut.');
    expectReplay(call);
  });

  it('decides which words are a backchannel', () => {
    const times = { startMs: 3_000, endMs: 3_650, language: 'de' } as const;
    const answer = 'Wir haben von neun bis achtzehn Uhr geöffnet und freuen uns sehr auf Ihren Besuch hier.';
    const call = new Simulation({ agent: {}, model: [{ text: answer }, { text: 'Gut.' }] })
      .userSpeaks(0.5, 1.5, 'Wann habt ihr offen?')
      .at(3, ({ media }) => media.emit({ type: 'speech_started', audioMs: 3_000 }))
      .at(3.5, ({ media }) => media.emit({ type: 'speech_lasted', audioMs: 3_000, lastedMs: 500 }))
      .at(3.6, (simulation) => simulation.emitTranscriberEvent({ type: 'interim', text: 'Ja, genau', ...times }))
      .at(3.65, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: 3_650 }))
      .at(3.8, (simulation) =>
        simulation.emitTranscriberEvent({ type: 'final', text: 'Ja, genau.', words: [], ...times }),
      )
      .runUntil(20);
    expect(new Set(call.heardTexts)).toEqual(new Set([answer]));
    expectReplay(call);
  });
});

describe('the language of a first short turn', () => {
  it('is another one than the agent’s if each of three words is a function word of it', () => {
    expect(askedMs('Und weil ich')).toBeGreaterThanOrEqual(SPEECH_END_MS + OPEN_PAUSE_MS);
    expect(askedMs('Und weil Anna')).toBe(SPEECH_END_MS + WHOLE_PAUSE_MS);
  });
});

describe('the language of the user’s earlier turns', () => {
  /** The end of an open turn in German, and when its words are asked with: the agent speaks English. */
  function germanTurn(first: string, open: string) {
    const call = new Simulation({ agent: {}, model: [{ text: 'Natürlich.' }, { text: 'Ja.' }, { text: 'Gut.' }] })
      .userSpeaks(0.5, 3.5, first)
      .userSpeaks(8, 9, open)
      .runUntil(9 + OPEN_PAUSE_MS / 1000 + 2);
    expectReplay(call);
    return (call.commandTimesMs('model.request')[1] ?? Number.POSITIVE_INFINITY) - 9_000;
  }

  it.each(['Meine Nummer ist', 'Wissen Sie ob', 'Und weil ich', 'Haben Sie noch'])(
    'holds for a short one: «%s» is open',
    (open) => {
      const first = 'Ich möchte bitte mit Ihnen auf Deutsch sprechen, wenn das geht.';
      expect(germanTurn(first, open)).toBeGreaterThanOrEqual(1_000);
    },
  );

  it('yields to a turn in another one', () => {
    const call = new Simulation({ agent: {}, model: [{ text: 'Gut.' }, { text: 'Yes.' }, { text: 'Fine.' }] })
      .userSpeaks(0.5, 3.5, 'Ich möchte bitte mit Ihnen auf Deutsch sprechen, wenn das geht.')
      .userSpeaks(8, 10, 'Actually I would like to do this in English.')
      .userSpeaks(15, 16, 'Do you have')
      .runUntil(19);
    expect((call.commandTimesMs('model.request')[2] ?? Number.POSITIVE_INFINITY) - 16_000).toBeGreaterThanOrEqual(
      1_000,
    );
  });
});
