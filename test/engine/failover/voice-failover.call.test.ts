import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import type { VoiceScript } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const TEXT =
  'We have a table by the window at half past seven. Shall I put it under your name? It is free all evening.';
const PLAIN: VoiceScript = { characterMs: 65 };
const SECOND = { fallbacks: { voice: [{ provider: 'test', name: 'second' }] } };
/** What the rules take a voice's pace for before they know it. */
const KNOWN_PACE = 65;

function greeted(
  voice: VoiceScript,
  agent: object = {},
  voicesByName: Record<string, VoiceScript> = { second: PLAIN },
): Simulation {
  return new Simulation({
    agent: { initial_message: TEXT, ...agent },
    voice: { characterMs: KNOWN_PACE, ...voice },
    voicesByName,
  }).runUntil(40);
}

describe('the voice that is opened', () => {
  it('is given the settings of its own entry, and none that is not there', () => {
    const own = { provider: 'test', name: 'voice', model: 'fast', instructions: 'Calmly.', speed: 1.2 };
    const pronunciations = [{ from: 'GmbH', to: 'G m b H' }];
    const call = greeted(
      { failsAt: [{ textIndex: 0, afterMs: 0, retryable: false }] },
      { ...SECOND, voice: own, pronunciations },
    );
    const shared = { language: 'en', pronunciations };
    expect(call.commands.flatMap((one) => (one.type === 'voice.open' ? [one.options] : []))).toEqual([
      { ...shared, ...own },
      { ...shared, provider: 'test', name: 'second', speed: 1 },
    ]);
  });
});

describe('a voice that fails in the middle of a sentence', () => {
  it('is asked once more for the rest: nothing is said twice, and what was heard is one line', () => {
    const call = greeted({ failsAt: [{ textIndex: 0, afterMs: 16 * KNOWN_PACE }] });
    // «table» was said to its end, and the next word had not begun.
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
    // The next voice begins while the rest of the first still plays: there is no gap.
    expect(call.heard.slice(0, 2)).toMatchObject([
      { fromMs: 200, toMs: 1_240 },
      { fromMs: 1_240, toMs: 1_240 + 33 * KNOWN_PACE },
    ]);
  });

  it('is told to drop what stands behind that sentence: it might yet speak it', () => {
    const call = greeted({ failsAt: [{ textIndex: 0, afterMs: 16 * KNOWN_PACE }] });
    const orders = call.commands.flatMap((one) => {
      if (one.type === 'voice.speak') return [['speak', one.segment]];
      return one.type === 'voice.cancel' ? [['cancel', one.from]] : [];
    });
    const [, second] = orders;
    expect(orders.slice(2, 5)).toEqual([orders[2], ['cancel', second?.[1]], ['speak', expect.any(Number)]]);
  });

  it('loses no more than the word in which it broke off', () => {
    const call = greeted({ failsAt: [{ textIndex: 0, afterMs: 12 * KNOWN_PACE }] });
    expect(call.heardText).toMatch(/^We have a ta by the window/);
    expect(call.dialogue).toEqual([`agent: ${TEXT}`]);
  });

  it('and again speaks on through the next one', () => {
    const call = greeted(
      {
        failsAt: [
          { textIndex: 0, afterMs: 16 * KNOWN_PACE },
          { textIndex: 3, afterMs: 13 * KNOWN_PACE },
        ],
      },
      SECOND,
    );
    expect(call.openedVoices[1]).toEqual({
      name: 'second',
      texts: ['at half past seven.', 'Shall I put it under your name?', 'It is free all evening.'],
    });
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    expect(call.endReason).toBeNull();
  });

  it('is left at once where trying again cannot help', () => {
    const call = greeted({ failsAt: [{ textIndex: 1, afterMs: 0, retryable: false }] }, SECOND);
    expect(call.openedVoices.map(({ name, texts }) => [name, texts.length])).toEqual([
      ['voice', 3],
      ['second', 2],
    ]);
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
  });

  it('is cut by its own word times where it tells them, whatever its pace', () => {
    const call = greeted({ wordTimes: 'even', characterMs: 110, failsAt: [{ textIndex: 0, afterMs: 16 * 110 }] });
    expect(call.openedVoices[0]?.texts[3]).toBe('by the window at half past seven.');
  });

  it('and is interrupted then leaves what was heard in the transcript, and what came after nowhere', () => {
    const call = new Simulation({
      agent: { initial_message: TEXT, ...SECOND },
      voice: { characterMs: KNOWN_PACE, failsAt: [{ textIndex: 0, afterMs: 16 * KNOWN_PACE, retryable: false }] },
      voicesByName: { second: PLAIN },
    })
      .userSpeaks(2, 2.8, 'No wait, stop.')
      .runUntil(20);
    expect(call.dialogue[0]).toBe('agent: We have a table by the');
    expect(call.heardText).not.toContain('evening');
  });

  it(
    'never says a word twice, nor loses more than one for each time that it breaks',
    () => {
      const breaks = fc.array(
        fc.record({ textIndex: fc.nat(5), afterMs: fc.nat(40).map((n) => n * 50), retryable: fc.boolean() }),
        {
          maxLength: 4,
        },
      );
      // Each word stands in the text once: one that is heard twice is found nowhere behind the first.
      expect(new Set(TEXT.split(' ')).size).toBe(TEXT.split(' ').length);
      fc.assert(
        fc.property(breaks, breaks, (first, second) => {
          const call = greeted({}, SECOND, {
            voice: { characterMs: KNOWN_PACE, failsAt: first },
            second: { characterMs: KNOWN_PACE, failsAt: second },
          });
          const words = TEXT.split(' ');
          const heard = call.heardText.split(/\s+/).filter((word) => word !== '');
          let at = 0;
          let lost = 0;
          for (const word of heard) {
            const found = words.findIndex((one, index) => index >= at && (one === word || one.startsWith(word)));
            if (found < 0) {
              // No word of the text is left to come: what stands here is the apology.
              expect(call.endReason).toBe('voice_error');
              break;
            }
            lost += found - at + (words[found] === word ? 0 : 1);
            at = found + 1;
          }
          if (call.endReason === null) {
            const failures = call.logs.filter((line) => line.includes('the voice failed')).length;
            expect(lost + words.length - at).toBeLessThanOrEqual(failures);
          }
          expect(call.media.usesAfterClose).toBe(0);
        }),
        { numRuns: propertyRuns(200) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});

describe('a voice that never begins', () => {
  it('is left after three seconds, however much it is given meanwhile', () => {
    const call = greeted({}, SECOND, { voice: { stalls: true }, second: PLAIN });
    expect(call.heard[0]).toMatchObject({ fromMs: 3_200 });
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    const streamed = new Simulation({
      agent: SECOND,
      model: [{ after: 0.1, text: 'One. ' }],
      voicesByName: { voice: { stalls: true } },
    });
    streamed.userSpeaks(0.5, 1, 'Hello?');
    // Each further text moves nothing.
    for (const at of [2, 3, 4])
      streamed.at(at, (one) => one.handle.post({ type: 'call.say', text: 'More.', interrupt: false }));
    streamed.runUntil(20);
    expect(streamed.heard[0]).toMatchObject({ text: 'One.', fromMs: 1_000 + 200 + 100 + 3_000 + 200 });
  });

  it('where there is no other is asked once more, and the call ends in bounded silence', () => {
    const call = greeted({ stalls: true });
    expect(call.endReason).toBe('voice_error');
    expect(call.heard).toEqual([]);
    // The greeting twice, then the apology: three seconds each, and each on a stream of its own.
    expect(call.openedVoices).toHaveLength(3);
    expect(call.journalEntries('ended')[0]?.atUs).toBe(9_020_000);
  });
});

describe('a voice that ends a sentence without a sample', () => {
  it('is asked for it once more, and nothing is lost', () => {
    const call = greeted({ textsWithoutAudio: [1] });
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    expect(call.dialogue).toEqual([`agent: ${TEXT}`]);
    expect(call.logs).toContain('warn: the voice failed: test malformed: a text without audio');
  });

  it('and again is replaced by the next one', () => {
    const call = greeted({ textsWithoutAudio: [0, 1, 2, 3, 4, 5] }, SECOND);
    expect(call.heardText.replace(/\s+/g, ' ')).toBe(TEXT);
    expect(call.openedVoices.map(({ name }) => name)).toEqual(['voice', 'second']);
  });

  it('always costs the call, once, where there is no other', () => {
    const call = greeted({ textsWithoutAudio: Array.from({ length: 20 }, (_, nth) => nth) });
    expect(call.heard).toEqual([]);
    expect(call.endReason).toBe('voice_error');
    expect(call.journalEntries('ended')).toHaveLength(1);
  });
});
