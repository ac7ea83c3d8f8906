import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outboundCall, speaksWithInterims } from '../answering-machine/outbound-call.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import { Simulation } from '../simulation/simulation.ts';

const SENTENCE = 'One two three four five six seven eight nine ten eleven twelve.';
const agent = { initial_message: SENTENCE };
const TRAITS = { detectsTurns: false, finalP99Ms: 400, wordEndSlackMs: 250 };
const FLUX = { detectsTurns: true, finalP99Ms: 400, wordEndSlackMs: 250 };

function backgroundSpeaks(call: Simulation, fromS: number, toS: number): Simulation {
  return call
    .at(fromS + 0.2, (call) => call.media.emit({ type: 'background_speech_started', audioMs: fromS * 1000 }))
    .at(toS + 0.2, (call) => call.media.emit({ type: 'background_speech_stopped', audioMs: toS * 1000 }));
}

/** Words of half a second each; «…» is a pause of half a second. */
function wordsFrom(fromS: number, text: string) {
  const spoken = text.split(' ').map((word, index) => ({
    text: word,
    startMs: fromS * 1000 + index * 500,
    endMs: fromS * 1000 + index * 500 + 450,
  }));
  return spoken.filter((word) => word.text !== '…');
}

function wordsAt(call: Simulation, atS: number, fromS: number, spoken: string, type: 'interim' | 'final' = 'final') {
  const words = wordsFrom(fromS, spoken);
  const text = words.map((word) => word.text).join(' ');
  const span = { startMs: fromS * 1000, endMs: words.at(-1)?.endMs ?? fromS * 1000 };
  return call.at(atS, (call) =>
    call.emitTranscriberEvent(type === 'final' ? { type, text, words, ...span } : { type, text, words, ...span }),
  );
}

describe('words of a voice in the background', () => {
  it('do not interrupt, are not transcribed and not answered', () => {
    const call = backgroundSpeaks(new Simulation({ agent, parameters: { transcriberTraits: TRAITS } }), 1, 4);
    wordsAt(call, 2, 1, 'stop wait', 'interim');
    wordsAt(call, 4.3, 1, 'Stop wait the weather is fine.');
    call.runUntil(12);
    expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
    expect(call.dialogue).toEqual([`agent: ${SENTENCE}`]);
    expect(call.modelRequests).toEqual([]);
  });

  it('open no turn while the agent listens, with word times and without', () => {
    const quiet = { agent: { initial_message: '' }, parameters: { transcriberTraits: TRAITS } };
    const timed = wordsAt(backgroundSpeaks(new Simulation(quiet), 1, 4), 4.3, 1, 'The weather is fine.');
    const untimed = backgroundSpeaks(new Simulation(quiet), 1, 4).at(4.3, (call) =>
      call.emitFinal(1, 4, 'The weather is fine.'),
    );
    for (const call of [timed, untimed]) {
      call.runUntil(12);
      expect(call.dialogue).toEqual([]);
      expect(call.modelRequests).toEqual([]);
    }
  });

  it('end with the media worker that heard the voice', () => {
    const call = new Simulation({ agent: { initial_message: '' }, parameters: { transcriberTraits: TRAITS } })
      .at(1.2, ({ media }) => media.emit({ type: 'background_speech_started', audioMs: 1_000 }))
      .at(3, ({ media }) => media.emit({ type: 'suspended' }))
      .at(3.5, ({ media }) => media.emit({ type: 'restored' }));
    // Voice activity misses a soft voice.
    wordsAt(call, 6.3, 5, 'A table for two.').runUntil(12);
    expect(call.dialogue[0]).toBe('user: A table for two.');
  });

  it('are left out of the turn of a user who speaks before them, and do not hold its end', () => {
    const answeredMs = (withBackground: boolean) => {
      const call = new Simulation({
        agent: { initial_message: '' },
        parameters: { transcriberTraits: TRAITS },
        model: [{ text: 'Yes.' }],
      })
        .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
        .at(3, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 3_000 }));
      if (withBackground) backgroundSpeaks(call, 3.3, 9);
      wordsAt(call, 3.3, 1, 'A table for two.');
      if (withBackground) {
        wordsAt(call, 3.6, 3.3, 'and', 'interim');
        wordsAt(call, 4.6, 3.3, 'and the news today', 'interim');
        wordsAt(call, 9.3, 3.3, 'And the news today is that it rains.');
      }
      call.runUntil(15);
      expect(call.dialogue).toEqual(['user: A table for two.', 'agent: Yes.']);
      return call.heard[0]?.fromMs;
    };
    expect(answeredMs(true)).toBe(answeredMs(false));
  });

  it('do not hold its end either if they follow at once, so that its final does not come', () => {
    const call = new Simulation({
      agent: { initial_message: '' },
      parameters: { transcriberTraits: TRAITS },
      model: [{ text: 'Yes.' }],
    })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(2.95, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 2_950 }));
    backgroundSpeaks(call, 3, 9);
    wordsAt(call, 3.05, 1, 'A table for two.', 'interim');
    wordsAt(call, 4.6, 1, 'A table for two. And the news', 'interim');
    wordsAt(call, 9.3, 1, 'A table for two. And the news today is that it rains.');
    call.runUntil(15);
    expect(call.dialogue).toEqual(['user: A table for two.', 'agent: Yes.']);
    // The pause of a whole sentence; the wait for a final would end at 3,450 ms.
    expect(call.commandTimesMs('model.request')).toEqual([3_200]);
  });

  it('are cut out of a final that also has words of the user', () => {
    const call = backgroundSpeaks(
      new Simulation({ agent: { initial_message: '' }, parameters: { transcriberTraits: TRAITS } }),
      3.3,
      6,
    )
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(3, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 3_000 }));
    wordsAt(call, 6.2, 1, 'A table for two. … Tonight rain everywhere.');
    call.runUntil(12);
    expect(call.dialogue[0]).toBe('user: A table for two.');
  });

  it('do not hold the end that a transcriber would detect', () => {
    const call = backgroundSpeaks(
      new Simulation({
        agent: { initial_message: '' },
        parameters: { transcriberTraits: FLUX },
        model: [{ text: 'Yes.' }],
      }),
      3.3,
      9,
    )
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(3, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 3_000 }));
    for (const [atS, spoken] of [
      [3, 'A table for two.'],
      [4.9, 'A table for two. … And the news'],
      [6.9, 'A table for two. … And the news today it rains'],
    ] as const) {
      const words = wordsFrom(1, spoken);
      const text = words.map((word) => word.text).join(' ');
      const span = { startMs: 1_000, endMs: words.at(-1)?.endMs ?? 0 };
      call.at(atS, (call) => call.emitTranscriberEvent({ type: 'turn', phase: 'updated', text, words, ...span }));
    }
    call.runUntil(8);
    expect(call.dialogue).toEqual(['user: A table for two.', 'agent: Yes.']);
    expect(call.heard[0]?.fromMs).toBeLessThan(5_500);
  });
});

describe('words of the user', () => {
  it('interrupt over a voice in the background', () => {
    const call = backgroundSpeaks(
      new Simulation({ agent, parameters: { transcriberTraits: TRAITS }, model: [{ text: 'Sorry.' }] }),
      0.5,
      1,
    )
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(2.2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 2_200 }));
    wordsAt(call, 1.6, 1, 'excuse', 'interim');
    wordsAt(call, 2.4, 1, 'Excuse me please.');
    call.runUntil(10);
    expect(call.dialogue).toContain('user: Excuse me please.');
    expect(call.transcript[0]).toMatchObject({ interrupted: true });
  });

  it('count if the voice turns out to be the user’s own, answering softly', () => {
    const call = new Simulation({
      agent: { initial_message: '' },
      parameters: { transcriberTraits: TRAITS },
      model: [{ text: 'Good.' }],
    });
    call
      .at(1.2, (call) => call.media.emit({ type: 'background_speech_started', audioMs: 1_000 }))
      .at(2, (call) => call.media.emit({ type: 'background_speech_stopped', audioMs: 1_000 }))
      .at(2, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(3.2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 3_000 }));
    wordsAt(call, 1.8, 1, 'yes', 'interim');
    wordsAt(call, 3.3, 1, 'Yes that is fine.');
    call.runUntil(10);
    expect(call.dialogue).toEqual(['user: Yes that is fine.', 'agent: Good.']);
  });

  it('count without any voice activity, if no voice was heard in the background then', () => {
    const call = backgroundSpeaks(
      new Simulation({ agent: { initial_message: '' }, parameters: { transcriberTraits: TRAITS } }),
      1,
      2,
    );
    wordsAt(call, 6, 4, 'Are you there?');
    call.runUntil(12);
    expect(call.dialogue[0]).toBe('user: Are you there?');
  });

  it('count after a menu, however soft the person is', () => {
    const model = [{ toolCalls: [{ name: 'keys', arguments: { digits: '2' } }] }];
    const states = [{ name: 'start', tools: [{ type: 'send_dtmf', name: 'keys' } as const] }];
    const scenario = { model, parameters: { direction: 'outbound', transcriberTraits: TRAITS } as const };
    const call = outboundCall({ initial_message: 'Hello, this is Anna.', states }, scenario);
    speaksWithInterims(call, 0.5, 4, 'For sales, press one. For support, press two.');
    backgroundSpeaks(call, 8, 9.5);
    wordsAt(call, 9.8, 8, 'Hello, this is Mike.');
    call.runUntil(20);
    expect(call.dialogue).toContain('user: Hello, this is Mike.');
  });

  it(
    'are never lost where the user’s own voice was heard',
    () => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 3, max: 12 })), { minLength: 1, maxLength: 8 }),
          (parts) => {
            const call = new Simulation({ agent: { initial_message: '' }, parameters: { transcriberTraits: TRAITS } });
            backgroundSpeaks(call, 0.5, 100);
            let atS = 1;
            const spoken: string[] = [];
            for (const [isUser, halves] of parts) {
              const untilS = atS + halves / 2;
              const text = Array.from({ length: halves }, () => `${isUser ? 'mine' : 'other'}${spoken.length}`).join(
                ' ',
              );
              if (isUser) {
                const fromMs = atS * 1000;
                call.at(atS, (call) => call.media.emit({ type: 'speech_started', audioMs: fromMs }));
                call.at(untilS, (call) => call.media.emit({ type: 'speech_stopped', audioMs: untilS * 1000 }));
                spoken.push(text);
              }
              wordsAt(call, untilS + 0.3, atS, text);
              atS = untilS + 3;
            }
            call.runUntil(atS + 5);
            const heard = call.dialogue.filter((entry) => entry.startsWith('user: ')).join(' ');
            for (const text of spoken) expect(heard).toContain(text);
            expect(heard).not.toContain('other');
          },
        ),
        { numRuns: propertyRuns(60) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
