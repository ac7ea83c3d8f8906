import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import { FINAL_MS, HANG_UP_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import type { VoiceScript } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const TEXT =
  'We have a table by the window at half past seven. Shall I put it under your name? It is free all evening.';
const FALLBACK_AGENT = { fallbacks: { voice: [{ provider: 'test', name: 'second' }] } };
/** The pace that the engine assumes for a voice that it has not measured. */
const DEFAULT_CHARACTER_MS = 65;
const WORKING_VOICE: VoiceScript = { characterMs: DEFAULT_CHARACTER_MS };
const FIRST_AUDIO_TIMEOUT_MS = 3_000;

/** A call whose initial message is `TEXT`. */
function callWithGreeting(
  voice: VoiceScript,
  agent: object = {},
  voicesByName: Record<string, VoiceScript> = { second: WORKING_VOICE },
): Simulation {
  return new Simulation({
    agent: { initial_message: TEXT, ...agent },
    voice: { characterMs: DEFAULT_CHARACTER_MS, ...voice },
    voicesByName,
  }).runUntil(40);
}

describe('voice', () => {
  it('opens with the settings of its own provider entry', () => {
    const firstVoice = { provider: 'test', name: 'voice', model: 'fast', instructions: 'Calmly.', speed: 1.2 };
    const pronunciations = [{ from: 'GmbH', to: 'G m b H' }];
    const call = callWithGreeting(
      { failsAt: [{ textIndex: 0, afterMs: 0, retryable: false }] },
      { ...FALLBACK_AGENT, voice: firstVoice, pronunciations },
    );
    const shared = { language: 'en', pronunciations };
    expect(call.commands.flatMap((command) => (command.type === 'voice.open' ? [command.options] : []))).toStrictEqual([
      { ...shared, ...firstVoice },
      { ...shared, provider: 'test', name: 'second', speed: 1 },
    ]);
  });
});

describe('voice failure in the middle of a sentence', () => {
  it('retries the rest of the text; no word repeats, and the transcript has one turn', () => {
    const call = callWithGreeting({ failsAt: [{ textIndex: 0, afterMs: 16 * DEFAULT_CHARACTER_MS }] });
    // The audio ended after «table».
    expect(call.openedVoices).toEqual([
      {
        name: 'voice',
        texts: [
          'We have a table by the window at half past seven.',
          'Shall I put it under your name?',
          'It is free all evening.',
          'by the window at half past seven.',
          'Shall I put it under your name?',
          'It is free all evening.',
        ],
      },
    ]);
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    expect(call.dialogue).toEqual([`agent: ${TEXT}`]);
    expect(call.transcript[0]).toMatchObject({ interrupted: false });
    // The new audio is there before the first has been played: there is no gap.
    const failureMs = VOICE_MS + 16 * DEFAULT_CHARACTER_MS;
    expect(call.heard.slice(0, 2)).toMatchObject([
      { fromMs: VOICE_MS, toMs: failureMs },
      { fromMs: failureMs, toMs: failureMs + 33 * DEFAULT_CHARACTER_MS },
    ]);
  });

  it('cancels the later segments before the retry', () => {
    const call = callWithGreeting({ failsAt: [{ textIndex: 0, afterMs: 16 * DEFAULT_CHARACTER_MS }] });
    const voiceCommands = call.commands.flatMap((command) => {
      if (command.type === 'voice.speak') return [['speak', command.segment]];
      return command.type === 'voice.cancel' ? [['cancel', command.from]] : [];
    });
    const [, secondSegment, thirdSegment] = voiceCommands;
    expect(voiceCommands.slice(2, 5)).toEqual([
      thirdSegment,
      ['cancel', secondSegment?.[1]],
      ['speak', expect.any(Number)],
    ]);
  });

  it('loses at most the word in which the audio ended', () => {
    const call = callWithGreeting({ failsAt: [{ textIndex: 0, afterMs: 12 * DEFAULT_CHARACTER_MS }] });
    expect(call.heardText).toMatch(/^We have a ta by the window/);
    expect(call.dialogue).toEqual([`agent: ${TEXT}`]);
  });

  it('continues with the fallback after a second failure', () => {
    const call = callWithGreeting(
      {
        failsAt: [
          { textIndex: 0, afterMs: 16 * DEFAULT_CHARACTER_MS },
          { textIndex: 3, afterMs: 13 * DEFAULT_CHARACTER_MS },
        ],
      },
      FALLBACK_AGENT,
    );
    expect(call.openedVoices[1]).toEqual({
      name: 'second',
      texts: ['at half past seven.', 'Shall I put it under your name?', 'It is free all evening.'],
    });
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    expect(call.endReason).toBeNull();
  });

  it.each([
    ['a fatal failure', { retryable: false }, 'unavailable'],
    ['a rate limit', { code: 'rate_limited' }, 'rate_limited'],
  ] as const)('uses the fallback at once after %s, and logs both voices once', (_, failure, code) => {
    const call = callWithGreeting({ failsAt: [{ textIndex: 1, afterMs: 0, ...failure }] }, FALLBACK_AGENT);
    expect(call.openedVoices.map(({ name, texts }) => [name, texts.length])).toEqual([
      ['voice', 3],
      ['second', 2],
    ]);
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    expect(call.notices).toEqual([
      { type: 'provider_failed_over', kind: 'voice', from: 'test voice', to: 'test second', error: `test ${code}: no` },
    ]);
  });

  it('gives the fallback its own retry', () => {
    const call = callWithGreeting({ failsAt: [{ textIndex: 0, afterMs: 0, retryable: false }] }, FALLBACK_AGENT, {
      second: { ...WORKING_VOICE, failsAt: [{ textIndex: 0, afterMs: 0 }] },
    });
    expect(call.openedVoices.map(({ name }) => name)).toEqual(['voice', 'second']);
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
  });

  it('retries nothing of a sentence whose audio was complete', () => {
    const [sentence, ...later] = [
      'We have a table by the window at half past seven.',
      'Shall I put it under your name?',
      'It is free all evening.',
    ] as const;
    const call = callWithGreeting({ failsAt: [{ textIndex: 0, afterMs: sentence.length * DEFAULT_CHARACTER_MS }] });
    expect(call.openedVoices[0]?.texts).toEqual([sentence, ...later, ...later]);
  });

  it('leaves the history as it was', () => {
    const call = callWithGreeting({ failsAt: [{ textIndex: 0, afterMs: 16 * DEFAULT_CHARACTER_MS }] });
    call.userSpeaks(41, 42, 'What else?').runUntil(45);
    expect(call.modelRequests[0]?.messages.find(({ role }) => role === 'assistant')?.content).toBe(TEXT);
  });

  it('continues by the voice’s word times if it reports them', () => {
    const call = callWithGreeting({
      wordTimes: 'even',
      characterMs: 110,
      failsAt: [{ textIndex: 0, afterMs: 16 * 110 }],
    });
    expect(call.openedVoices[0]?.texts[3]).toBe('by the window at half past seven.');
  });

  it('keeps the played text in the transcript after an interruption', () => {
    const call = new Simulation({
      agent: { initial_message: TEXT, ...FALLBACK_AGENT },
      voice: {
        characterMs: DEFAULT_CHARACTER_MS,
        failsAt: [{ textIndex: 0, afterMs: 16 * DEFAULT_CHARACTER_MS, retryable: false }],
      },
      voicesByName: { second: WORKING_VOICE },
    })
      .userSpeaks(2, 2.8, 'No wait, stop.')
      .runUntil(20);
    expect(call.dialogue[0]).toBe('agent: We have a table by the window at');
    expect(call.heardText).not.toContain('evening');
  });

  it(
    'never repeats a word, and loses at most one word for each failure',
    () => {
      const failures = fc.array(
        fc.record({ textIndex: fc.nat(5), afterMs: fc.nat(40).map((n) => n * 50), retryable: fc.boolean() }),
        {
          maxLength: 4,
        },
      );
      // Each word occurs once in the text: a repeated word is not found again.
      expect(new Set(TEXT.split(' ')).size).toBe(TEXT.split(' ').length);
      fc.assert(
        fc.property(failures, failures, (first, second) => {
          const call = callWithGreeting({}, FALLBACK_AGENT, {
            voice: { characterMs: DEFAULT_CHARACTER_MS, failsAt: first },
            second: { characterMs: DEFAULT_CHARACTER_MS, failsAt: second },
          });
          const words = TEXT.split(' ');
          const heard = call.heardText.split(/\s+/).filter((word) => word !== '');
          let at = 0;
          let lost = 0;
          for (const word of heard) {
            const found = words.findIndex((candidate, index) => index >= at && candidate.startsWith(word));
            if (found < 0) {
              // The word belongs to an apology.
              expect(call.noticesOf('turn_failed')).toHaveLength(1);
              break;
            }
            lost += found - at + (words[found] === word ? 0 : 1);
            at = found + 1;
          }
          if (call.noticesOf('turn_failed').length === 0) {
            const failureCount =
              call.noticesOf('provider_failed').length + call.noticesOf('provider_failed_over').length;
            expect(lost + words.length - at).toBeLessThanOrEqual(failureCount);
          }
          expect(call.media.usesAfterClose).toBe(0);
        }),
        { numRuns: propertyRuns(200) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});

it('the failure of a text that was dropped changes nothing', () => {
  const error = { provider: 'test', code: 'closed', message: 'late', retryable: false } as const;
  const call = new Simulation({ agent: { initial_message: TEXT } })
    .at(1, (simulation) => simulation.handle.post({ type: 'voice.failed', segment: 99, error, durationMs: 0 }))
    .runUntil(20);
  expect(call.heardText).toBe(TEXT);
  expect(call.openedVoices).toHaveLength(1);
  expect(call.notices).toEqual([]);
});

describe('voice without audio', () => {
  it('has three seconds for its first audio, which later texts do not extend', () => {
    const call = callWithGreeting({}, FALLBACK_AGENT, { voice: { stalls: true }, second: WORKING_VOICE });
    expect(call.heard[0]).toMatchObject({ fromMs: FIRST_AUDIO_TIMEOUT_MS + VOICE_MS });
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    const withLaterTexts = new Simulation({
      agent: FALLBACK_AGENT,
      model: [{ after: 0.1, text: 'One. ' }],
      voicesByName: { voice: { stalls: true } },
    });
    withLaterTexts.userSpeaks(0.5, 1, 'Hello?');
    for (const at of [2, 3, 4])
      withLaterTexts.at(at, (simulation) =>
        simulation.handle.post({ type: 'call.say', text: 'More.', interrupt: false }),
      );
    withLaterTexts.runUntil(20);
    expect(withLaterTexts.heard[0]).toMatchObject({
      text: 'One.',
      fromMs: 1_000 + FINAL_MS + MODEL_MS + FIRST_AUDIO_TIMEOUT_MS + VOICE_MS,
    });
  });

  it('gets one retry without a fallback; then the call ends after a bounded silence', () => {
    const call = callWithGreeting({ stalls: true });
    expect(call.endReason).toBe('voice_error');
    expect(call.heard).toEqual([]);
    // The initial message twice, then both apologies, each on a new stream.
    expect(call.openedVoices).toHaveLength(4);
    expect(call.journalEntries('ended')[0]?.atUs).toBe((4 * FIRST_AUDIO_TIMEOUT_MS + HANG_UP_MS) * 1000);
  });
});

describe('sentence without audio', () => {
  it('gets one retry, and no text is lost', () => {
    const call = callWithGreeting({ textsWithoutAudio: [1] }, FALLBACK_AGENT);
    expect(call.openedVoices.map(({ name }) => name)).toEqual(['voice']);
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    expect(call.dialogue).toEqual([`agent: ${TEXT}`]);
    expect(call.noticesOf('provider_failed').map(({ kind, error }) => [kind, error])).toContainEqual([
      'voice',
      'test malformed: a text without audio',
    ]);
  });

  it('goes to the fallback after repeated retries', () => {
    const call = callWithGreeting({ textsWithoutAudio: [0, 1, 2, 3, 4, 5] }, FALLBACK_AGENT);
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    expect(call.openedVoices.map(({ name }) => name)).toEqual(['voice', 'second']);
  });

  it('ends the call if the voice never has audio and there is no fallback', () => {
    const call = callWithGreeting({ textsWithoutAudio: Array.from({ length: 20 }, (_, index) => index) });
    expect(call.heard).toEqual([]);
    expect(call.endReason).toBe('voice_error');
    expect(call.journalEntries('ended')).toHaveLength(1);
  });
});
