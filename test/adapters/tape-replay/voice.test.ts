import { describe, expect, it } from 'vitest';
import { recordedSpeech } from '../../../adapters/tape-replay/tape-speech.ts';
import { createTapeVoice } from '../../../adapters/tape-replay/voice.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { VoiceEvent } from '../../../engine/ports/voice.ts';
import type { RecordedSpeech } from '../../../engine/tape/re-simulation/recorded-responses.ts';
import type { RequestDifference } from '../../../engine/tape/re-simulation/request-difference.ts';
import { CONTRACT_SEGMENT_BYTES, CONTRACT_TEXTS, voiceContract } from '../contract/voice.ts';
import { ManualTime, realAfter } from './manual-time.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
const SEGMENT_MS = CONTRACT_SEGMENT_BYTES / 8;
const AUDIO = Buffer.concat(CONTRACT_TEXTS.map((_, n) => Buffer.alloc(CONTRACT_SEGMENT_BYTES, n + 1)));
const VOICES = CONTRACT_TEXTS.map((text, n) => ({
  text,
  delayMs: 2,
  durationMs: SEGMENT_MS,
  offsetMs: n * SEGMENT_MS,
}));

voiceContract(
  'tape',
  async () => ({
    voice: createTapeVoice(VOICES, recordedSpeech(MULAW, AUDIO), realAfter, (difference) => {
      throw new Error(`unexpected difference at ${difference.path}`);
    }),
    format: MULAW,
    secret: 'none',
    requestCount: () => 0,
    openSockets: () => 0,
    close: async () => undefined,
  }),
  [],
);

describe('tape voice', () => {
  function open(voices: readonly RecordedSpeech[] = VOICES.map((voice) => ({ ...voice, delayMs: 200 }))) {
    const time = new ManualTime();
    const differences: RequestDifference[] = [];
    const timedEvents: { atMs: number; event: VoiceEvent }[] = [];
    const voice = createTapeVoice(voices, recordedSpeech(MULAW, AUDIO), time.after, (difference) =>
      differences.push(difference),
    );
    const options = { provider: 'tape', name: 'tape', language: 'en', speed: 1, format: MULAW };
    let reaction = () => {};
    const stream = voice.open(options, (event) => {
      timedEvents.push({ atMs: time.nowMs, event });
      reaction();
    });
    const react = (by: () => void) => {
      reaction = by;
    };
    return { time, differences, timedEvents, stream, react };
  }

  it('emits the first audio after the recorded delay, and the rest faster than it plays', () => {
    const { time, timedEvents, stream } = open();
    stream.speak(0, CONTRACT_TEXTS[0] ?? '');
    stream.speak(1, CONTRACT_TEXTS[1] ?? '');
    time.advance(10_000);
    const firstOf = (segment: number) => timedEvents.find(({ event }) => event.segment === segment)?.atMs;
    expect(firstOf(0)).toBe(200);
    expect(timedEvents.find(({ event }) => event.type === 'done')?.atMs).toBe(220);
    expect(firstOf(1)).toBe(420);
    expect(timedEvents.filter(({ event }) => event.type === 'audio')).toHaveLength(6);
  });

  it('emits word times where they were recorded', () => {
    const words = [{ text: 'Good', startMs: 0, endMs: 200 }];
    const { time, timedEvents, stream } = open([
      { text: 'Good evening.', delayMs: 1, durationMs: 100, offsetMs: 0, words },
    ]);
    stream.speak(5, 'Good evening.');
    time.advance(100);
    expect(timedEvents.map(({ event }) => event.type)).toEqual(['words', 'audio', 'done']);
    expect(timedEvents[0]?.event).toEqual({ type: 'words', segment: 5, words });
  });

  it('a segment that failed on the tape fails after its recorded events', () => {
    const error = { provider: 'deepgram', code: 'closed', message: 'closed', retryable: true } as const;
    const { time, timedEvents, stream } = open([
      { text: 'Good evening.', delayMs: 1, durationMs: 100, offsetMs: 0, error },
      { text: 'evening.', delayMs: 1, durationMs: 0, offsetMs: 100, error },
    ]);
    stream.speak(5, 'Good evening.');
    time.advance(100);
    stream.speak(6, 'evening.');
    time.advance(100);
    expect(timedEvents.map(({ event }) => `${event.segment} ${event.type}`)).toEqual([
      '5 audio',
      '5 failed',
      '6 failed',
    ]);
  });

  it('a cancel from inside an event, followed by a new segment, leaves nothing of the old one', () => {
    const words = [{ text: 'Good', startMs: 0, endMs: 200 }];
    const { time, timedEvents, stream, react } = open(VOICES.map((voice) => ({ ...voice, words })));
    react(() => {
      if (timedEvents.length !== 1) return;
      stream.cancel();
      stream.speak(1, CONTRACT_TEXTS[1] ?? '');
    });
    stream.speak(0, CONTRACT_TEXTS[0] ?? '');
    time.advance(10_000);
    expect(timedEvents.slice(1).map(({ event }) => event.segment)).toEqual([1, 1, 1, 1, 1]);
    expect(timedEvents.at(-1)?.event.type).toBe('done');
  });

  it('reports a text that is not on the tape, and plays silence of its estimated length', () => {
    const { time, differences, timedEvents, stream } = open();
    stream.speak(0, 'Good night.');
    time.advance(1_000);
    expect(differences).toEqual([
      { kind: 'segment', index: 0, path: 'text', recorded: 'Good evening.', actual: 'Good night.' },
    ]);
    expect(timedEvents.at(-1)?.event).toMatchObject({ type: 'done', segment: 0 });
    const spoken = timedEvents.flatMap(({ event }) => (event.type === 'audio' ? [...event.audio] : []));
    expect(spoken).toHaveLength('Good night.'.length * 65 * 8);
    expect(new Set(spoken)).toEqual(new Set([0xff]));
  });

  it('a skipped segment does not shift later ones', () => {
    const { time, differences, timedEvents, stream } = open();
    stream.speak(0, CONTRACT_TEXTS[1] ?? '');
    time.advance(1_000);
    expect(differences).toEqual([]);
    const audio = timedEvents.flatMap(({ event }) => (event.type === 'audio' ? [...event.audio] : []));
    expect(new Set(audio)).toEqual(new Set([2]));
  });

  it('reports each segment after the end of the tape as missing', () => {
    const { time, differences, timedEvents, stream } = open([]);
    stream.speak(0, 'One.');
    stream.speak(1, 'Two.');
    expect(timedEvents).toEqual([]);
    time.advance(1_000);
    expect(timedEvents.filter(({ event }) => event.type === 'done').map(({ event }) => event.segment)).toEqual([0, 1]);
    expect(differences.map(({ index, path }) => ({ index, path }))).toEqual([
      { index: 0, path: 'end' },
      { index: 1, path: 'end' },
    ]);
  });

  it('emits a failure where it was recorded, after the audio before it', () => {
    const error = { provider: 'tape', code: 'closed', message: 'gone', retryable: true } as const;
    const { time, timedEvents, stream } = open([{ text: 'One.', delayMs: 5, durationMs: 100, offsetMs: 0, error }]);
    stream.speak(3, 'One.');
    time.advance(1_000);
    expect(timedEvents.map(({ event }) => event.type)).toEqual(['audio', 'failed']);
    expect(timedEvents.at(-1)?.event).toEqual({ type: 'failed', segment: 3, error });
  });

  it('a cancel leaves no timer', () => {
    const { time, timedEvents, stream } = open();
    stream.speak(0, CONTRACT_TEXTS[0] ?? '');
    stream.speak(1, CONTRACT_TEXTS[1] ?? '');
    time.advance(205);
    stream.cancel();
    expect(time.pending).toBe(0);
    expect(timedEvents).toHaveLength(1);
  });
});
