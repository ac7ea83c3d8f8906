import { describe, expect, it } from 'vitest';
import type { AudioFormat } from '../../../../base/audio/audio-format.ts';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { CallEvent } from '../../../../engine/core/event.ts';
import type { Media } from '../../../../engine/ports/media.ts';
import type { Transcriber, TranscriberEvent } from '../../../../engine/ports/transcriber.ts';
import { UserAudioToTranscriber } from '../../../../engine/session/streams/user-audio-to-transcriber.ts';
import { UnframedMedia } from '../../simulation/unframed-media.ts';

const OPTIONS = { provider: 'test', language: 'en', vocabulary: [] };
const FAILED = {
  type: 'failed',
  error: { provider: 'test', code: 'closed', message: 'gone', retryable: true },
} as const;
const PACKET_MS = 20;
/** At 8 kHz, mu-law. */
const PACKET_BYTES = 160;

interface Stream {
  readonly heard: number[];
  readonly writes: number[];
  readonly emit: (event: TranscriberEvent) => void;
  closed: number;
}

/** Every byte of a packet is the packet's number, from 0, so that what a stream heard tells from when it was. */
function line(format?: AudioFormat) {
  const streams: Stream[] = [];
  const told: CallEvent[] = [];
  const waiting: (() => void)[] = [];
  const simulated = new UnframedMedia(new SimulatedClock(0));
  let give: (format: AudioFormat, audio: Uint8Array) => void = () => {};
  const media: Media = Object.assign(simulated, {
    ...(format === undefined ? {} : { format }),
    onAudio: (listener: typeof give) => {
      give = listener;
    },
  });
  const transcriber: Transcriber = {
    traitsOf: () => ({ detectsTurns: false, finalP99Ms: 400 }),
    open: (_options, emit) => {
      const stream: Stream = { heard: [], writes: [], emit, closed: 0 };
      streams.push(stream);
      return {
        write: (audio) => {
          stream.heard.push(...audio.filter((_, index) => index % PACKET_BYTES === 0));
          stream.writes.push(audio.length / PACKET_BYTES);
        },
        finalize: () => {},
        close: () => {
          stream.closed++;
        },
      };
    },
  };
  const audio = new UserAudioToTranscriber(transcriber, media, (event, claim) =>
    waiting.push(() => {
      if (claim?.() !== false) told.push(event);
    }),
  );
  let packets = 0;
  return {
    audio,
    streams,
    told,
    say: (ms: number) => {
      for (const end = packets + ms / PACKET_MS; packets < end; packets++) {
        give(media.format, new Uint8Array(PACKET_BYTES).fill(packets % 256));
      }
    },
    settle: () => {
      for (const one of waiting.splice(0)) one();
    },
  };
}

const numbers = (fromMs: number, toMs: number) =>
  Array.from({ length: (toMs - fromMs) / PACKET_MS }, (_, index) => (fromMs / PACKET_MS + index) % 256);

describe('the user’s audio', () => {
  it('goes to the first stream as it comes, packet by packet', () => {
    const { audio, streams, say } = line();
    expect(audio.open(OPTIONS, 0)).toBe(0);
    say(100);
    expect(streams[0]?.heard).toEqual(numbers(0, 100));
    expect(streams[0]?.writes).toEqual([1, 1, 1, 1, 1]);
    expect(audio.audioMs).toBe(100);
  });

  it('is given again to the stream that follows, from the position asked for, without gap or repetition', () => {
    const { audio, streams, say } = line();
    audio.open(OPTIONS, 0);
    say(1_000);
    streams[0]?.emit(FAILED);
    say(200);
    expect(audio.open(OPTIONS, 400)).toBe(0);
    say(100);
    // Nothing before it is ready: a stream keeps too little.
    expect(streams[1]?.heard).toEqual([]);
    streams[1]?.emit({ type: 'ready' });
    expect(streams[1]?.heard).toEqual(numbers(400, 1_300));
    say(200);
    expect(streams[1]?.heard).toEqual(numbers(400, 1_500));
    expect(streams[0]?.heard).toEqual(numbers(0, 1_000));
  });

  it('that is long is given again in parts, so that no socket is flooded', () => {
    const { audio, streams, say } = line();
    audio.open(OPTIONS, 0);
    say(25_000);
    audio.open(OPTIONS, 5_000);
    streams[1]?.emit({ type: 'ready' });
    say(2_000);
    expect(streams[1]?.heard).toEqual(numbers(5_000, 27_000));
    // 8 s at once, 1 s with each packet until it has caught up with them, then packet by packet.
    expect(streams[1]?.writes.slice(0, 3)).toEqual([400, 50, 50]);
    expect(streams[1]?.writes.at(-1)).toBe(1);
  });

  it('is kept for half a minute; what is older is gone, which is told, and the times stay true', () => {
    const { audio, streams, told, say, settle } = line();
    audio.open(OPTIONS, 0);
    say(40_000);
    expect(audio.open(OPTIONS, 4_000)).toBe(6_000);
    streams[1]?.emit({ type: 'ready' });
    say(1_000);
    expect(streams[1]?.heard).toEqual(numbers(10_000, 41_000));
    streams[1]?.emit({ type: 'interim', text: 'Yes', startMs: 500, endMs: 900 });
    settle();
    expect(told.at(-1)).toEqual({ type: 'transcriber.interim', text: 'Yes', startMs: 10_500, endMs: 10_900 });
  });

  it('before a final is not kept: nobody asks for it again', () => {
    const { audio, streams, say } = line();
    audio.open(OPTIONS, 0);
    say(2_000);
    streams[0]?.emit({ type: 'final', text: 'Yes.', words: [], startMs: 0, endMs: 1_500, endOfTurn: true });
    expect(audio.open(OPTIONS, 1_000)).toBe(500);
    streams[1]?.emit({ type: 'ready' });
    expect(streams[1]?.heard).toEqual(numbers(1_500, 2_000));
  });

  it('has one clock: every time that a later stream tells counts from the call’s first sample', () => {
    const { audio, streams, told, say, settle } = line();
    audio.open(OPTIONS, 0);
    say(3_000);
    audio.open(OPTIONS, 2_000);
    const [, second] = streams;
    const word = { text: 'four', startMs: 100, endMs: 300, confidence: 0.9 };
    for (const event of [
      { type: 'ready' },
      { type: 'speech', audioMs: 50 },
      { type: 'final', text: 'four', words: [word], startMs: 100, endMs: 400, endOfTurn: false },
      { type: 'utterance_end', lastWordEndMs: 300 },
      { type: 'turn', phase: 'ended', text: 'four', startMs: 100, endMs: 400 },
    ] satisfies TranscriberEvent[])
      second?.emit(event);
    settle();
    expect(told).toEqual([
      { type: 'transcriber.ready' },
      { type: 'transcriber.speech', audioMs: 2_050 },
      {
        type: 'transcriber.final',
        text: 'four',
        words: [{ ...word, startMs: 2_100, endMs: 2_300 }],
        startMs: 2_100,
        endMs: 2_400,
        endOfTurn: false,
      },
      { type: 'transcriber.utterance_end', lastWordEndMs: 2_300 },
      { type: 'transcriber.turn', phase: 'ended', text: 'four', startMs: 2_100, endMs: 2_400 },
    ]);
  });

  it('tells nothing of a stream that was replaced, not even what waits in the inbox', () => {
    const { audio, streams, told, say, settle } = line();
    audio.open(OPTIONS, 0);
    say(1_000);
    streams[0]?.emit({ type: 'interim', text: 'Yes', startMs: 0, endMs: 900 });
    audio.open(OPTIONS, 0);
    streams[0]?.emit({ type: 'interim', text: 'Yes please', startMs: 0, endMs: 990 });
    streams[0]?.emit(FAILED);
    settle();
    expect(told).toEqual([]);
    expect(streams[0]?.closed).toBe(1);
    audio.close();
    streams[1]?.emit(FAILED);
    settle();
    expect(told).toEqual([]);
    expect(streams[1]?.closed).toBe(1);
  });

  it('of 16-bit samples is never cut inside one', () => {
    const { audio, streams, say } = line({ encoding: 'linear16', sampleRateHz: 16_000 });
    audio.open(OPTIONS, 0);
    say(1_000);
    // 1,000 ms of packets of 160 bytes are 250 ms of such audio.
    audio.open(OPTIONS, 100.03);
    streams[1]?.emit({ type: 'ready' });
    expect((streams[1]?.writes[0] ?? 0) * PACKET_BYTES).toBe(2 * Math.round((250 - 100.03) * 16));
  });
});
