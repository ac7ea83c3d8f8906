import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeSpeakMessage } from '../../../adapters/deepgram/aura-speak-message.ts';
import { decodeListenMessage } from '../../../adapters/deepgram/nova-listen-message.ts';
import { ListenTimeline } from '../../../adapters/deepgram/nova-listen-timeline.ts';
import type { TranscriberEvent } from '../../../engine/ports/transcriber.ts';
import { results, utteranceEnd } from '../../providers/deepgram/listen-messages.ts';

function eventsOf(timeline: ListenTimeline, messages: readonly unknown[]): readonly TranscriberEvent[] {
  return messages.flatMap((json) => {
    const message = decodeListenMessage(JSON.stringify(json));
    if (message.type === 'ignored' || message.type === 'malformed' || message.type === 'Error') return [];
    return timeline.eventOf(message) ?? [];
  });
}

describe('Deepgram messages', () => {
  it('decoding never throws, for any text and any JSON', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void decodeListenMessage(text)));
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void decodeSpeakMessage(text)));
  });

  it('a Results message with fields of any type is either valid or malformed', () => {
    const field = fc.constantFrom('start', 'duration', 'is_final', 'speech_final', 'channel');
    fc.assert(
      fc.property(field, fc.jsonValue(), (name, value) => {
        const message = decodeListenMessage(
          JSON.stringify({ ...results('a', { startMs: 0, endMs: 1 }), [name]: value }),
        );
        if (message.type === 'malformed') return;
        const event = message.type === 'Results' ? new ListenTimeline(0).eventOf(message) : undefined;
        expect(['final', 'interim', undefined]).toContain(event?.type);
      }),
    );
  });
});

describe('timeline of a listen stream', () => {
  it('emits repeated finals once and in order', () => {
    const repeats = fc.array(fc.record({ again: fc.nat(3), lateInterim: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(repeats, (segments) => {
        const messages = segments.flatMap(({ again, lateInterim }, n) => {
          const times = { startMs: n * 500, endMs: n * 500 + 500 };
          const final = results(`segment ${n}`, { ...times, isFinal: true });
          return [
            results('seg', times),
            ...Array.from({ length: again + 1 }, () => final),
            ...(lateInterim ? [results('seg', times)] : []),
          ];
        });
        const events = eventsOf(new ListenTimeline(0), messages);
        const finals = events.filter((event) => event.type === 'final');
        expect(finals.map((event) => event.text)).toEqual(segments.map((_, n) => `segment ${n}`));
        expect(events.filter((event) => event.type === 'interim')).toHaveLength(segments.length);
      }),
    );
  });

  it('withdraws the words of an interim by an empty final of their audio', () => {
    const events = eventsOf(new ListenTimeline(0), [
      results('', { startMs: 0, endMs: 1_000, isFinal: true }),
      results('Yeah', { startMs: 1_000, endMs: 2_300 }),
      results('', { startMs: 1_000, endMs: 2_700, isFinal: true }),
      results('', { startMs: 2_700, endMs: 3_700, isFinal: true }),
    ]);
    expect(events).toMatchObject([
      { type: 'interim', text: 'Yeah' },
      { type: 'final', text: '', startMs: 1_000, endMs: 2_700 },
    ]);
  });

  it('emits segments that overlap by rounding', () => {
    const events = eventsOf(new ListenTimeline(0), [
      results('one', { startMs: 0, endMs: 1_005, isFinal: true }),
      results('two', { startMs: 1_000, endMs: 2_000, isFinal: true }),
    ]);
    expect(events).toHaveLength(2);
  });

  it('ends no turn at the silences between the digits of a number', () => {
    const digits = ['0', '1', '7', '2'];
    const events = eventsOf(
      new ListenTimeline(0),
      digits.map((digit, n) =>
        results(digit, { startMs: n * 400, endMs: n * 400 + 300, isFinal: true, speechFinal: true }),
      ),
    );
    expect(events).toMatchObject(digits.map((text) => ({ type: 'final', text })));
  });

  it.each([
    { form: 'of the alternative', languages: ['es', 'en'], language: 'es' },
    { form: 'of the last word', languages: undefined, language: 'en' },
  ])('takes the detected language $form', ({ languages, language }) => {
    // As https://developers.deepgram.com/docs/multilingual-code-switching shows it.
    const words = [
      { word: 'quisiera', start: 0.4, end: 0.9, confidence: 0.99, punctuated_word: 'Quisiera', language: 'es' },
      { word: 'one', start: 0.9, end: 1.2, confidence: 0.97, punctuated_word: 'one', language: 'en' },
    ];
    const alternative = { transcript: 'Quisiera one', confidence: 0.99, languages, words };
    const message = { type: 'Results', channel_index: [0, 1], start: 0, duration: 1.5, speech_final: false };
    const events = eventsOf(new ListenTimeline(0), [
      { ...message, is_final: false, channel: { alternatives: [alternative] } },
      { ...message, is_final: true, channel: { alternatives: [alternative] } },
    ]);
    expect(events).toMatchObject([
      { type: 'interim', language },
      { type: 'final', language },
    ]);
  });

  it('emits the end of an utterance once, and not without a word', () => {
    const timeline = new ListenTimeline(0);
    expect(eventsOf(timeline, [utteranceEnd(-1_000), utteranceEnd(380), utteranceEnd(380)])).toEqual([
      { type: 'utterance_end', lastWordEndMs: 380 },
    ]);
  });

  it('counts times from the first written sample, including audio dropped before the provider received any', () => {
    const [final] = eventsOf(new ListenTimeline(1_000), [
      results('At eight.', { startMs: 100, endMs: 300, isFinal: true }),
    ]);
    expect(final).toEqual({
      type: 'final',
      text: 'At eight.',
      words: [
        { text: 'At', startMs: 1_100, endMs: 1_200 },
        { text: 'eight.', startMs: 1_200, endMs: 1_300 },
      ],
      startMs: 1_100,
      endMs: 1_300,
    });
  });

  it('names the end of the audio that a final covers after its last word', () => {
    const [final] = eventsOf(new ListenTimeline(1_000), [
      { ...results('At eight.', { startMs: 100, endMs: 300, isFinal: true }), duration: 0.5 },
    ]);
    expect(final).toMatchObject({ endMs: 1_300, coveredMs: 1_600 });
  });
});
