import { describe, expect, it } from 'vitest';
import { createTapeTranscriber } from '../../../adapters/tape-replay/transcriber.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { TranscriberEvent } from '../../../engine/ports/transcriber.ts';
import type { RecordedTranscription } from '../../../engine/tape/re-simulation/recorded-responses.ts';
import { transcriberContract } from '../contract/transcriber.ts';
import { ManualTime, realAfter } from './manual-time.ts';

const TRAITS = { detectsTurns: false, finalP99Ms: 326 };
const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
const WORDS = ['I', 'would', 'like', 'a', 'table.'].map((text, n) => ({
  text,
  startMs: 100 + n * 56,
  endMs: 156 + n * 56,
}));
const ANSWERS: readonly RecordedTranscription[] = [
  { audioMs: 0, event: { type: 'ready' } },
  { audioMs: 200, event: { type: 'interim', text: 'I would', startMs: 100, endMs: 200 } },
  {
    audioMs: 400,
    event: { type: 'final', text: 'I would like a table.', words: WORDS, startMs: 100, endMs: 380 },
  },
  { audioMs: 500, event: { type: 'utterance_end', lastWordEndMs: 380 } },
];

transcriberContract(
  'tape',
  async () => ({
    transcriber: createTapeTranscriber(ANSWERS, TRAITS, realAfter),
    format: MULAW,
    secret: 'none',
    requestCount: () => 0,
    openSockets: () => 0,
    close: async () => undefined,
  }),
  { failures: [] },
);

describe('tape transcriber', () => {
  function open(time: ManualTime, transcriber = createTapeTranscriber(ANSWERS, TRAITS, time.after)) {
    const events: TranscriberEvent[] = [];
    const options = { provider: 'tape', language: 'en', vocabulary: [], format: MULAW };
    return { events, transcriber, stream: transcriber.open(options, (event) => events.push(event)) };
  }

  it('emits a message only after exactly its audio was written, even if time passes', () => {
    const time = new ManualTime();
    const { events, stream } = open(time);
    time.advance(60_000);
    expect(events.map((event) => event.type)).toEqual(['ready']);
    stream.write(Buffer.alloc(1_599));
    time.advance(60_000);
    expect(events).toHaveLength(1);
    stream.write(Buffer.alloc(1));
    expect(events).toHaveLength(1);
    time.advance(0);
    expect(events.map((event) => event.type)).toEqual(['ready', 'interim']);
  });

  it('emits all messages in order when the audio of a whole call arrives at once', () => {
    const time = new ManualTime();
    const { events, stream } = open(time);
    stream.write(Buffer.alloc(80_000));
    time.advance(0);
    expect(events).toEqual(ANSWERS.map((answer) => answer.event));
  });

  it('a further stream of the call continues where the first stopped', () => {
    const time = new ManualTime();
    const first = open(time);
    first.stream.write(Buffer.alloc(1_600));
    time.advance(0);
    first.stream.close();
    const second = open(time, first.transcriber);
    second.stream.write(Buffer.alloc(1_600));
    time.advance(0);
    expect(first.events.map((event) => event.type)).toEqual(['ready', 'interim']);
    expect(second.events.map((event) => event.type)).toEqual(['final']);
  });

  it('emits nothing after a recorded failure', () => {
    const time = new ManualTime();
    const error = { provider: 'deepgram', code: 'closed', message: 'closed', retryable: true } as const;
    const answers = [{ audioMs: 10, event: { type: 'failed', error } }, ...ANSWERS.slice(1)] as const;
    const { events, stream } = open(time, createTapeTranscriber(answers, TRAITS, time.after));
    stream.write(Buffer.alloc(80_000));
    time.advance(0);
    expect(events).toEqual([{ type: 'failed', error }]);
  });

  it('the n-th stream replays the n-th stream of the tape, by its own audio', () => {
    const time = new ManualTime();
    const lost = { provider: 'deepgram', code: 'closed', message: 'closed', retryable: true } as const;
    const second = { stream: 1, audioMs: 100, event: { type: 'interim', text: 'two', startMs: 0, endMs: 90 } } as const;
    const answers: readonly RecordedTranscription[] = [
      { audioMs: 0, event: { type: 'ready' } },
      { audioMs: 200, event: { type: 'failed', error: lost } },
      { stream: 1, audioMs: 0, event: { type: 'ready' } },
      second,
    ];
    const first = open(time, createTapeTranscriber(answers, TRAITS, time.after));
    first.stream.write(Buffer.alloc(4_000));
    const { events, stream } = open(time, first.transcriber);
    time.advance(0);
    expect(events.map(({ type }) => type)).toEqual(['ready']);
    stream.write(Buffer.alloc(800));
    time.advance(0);
    expect(first.events.map(({ type }) => type)).toEqual(['ready', 'failed']);
    expect(events.at(-1)).toEqual(second.event);
  });
});
