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
/** 20 ms of mu-law at 8 kHz. */
const PACKET_BYTES = 160;

interface Stream {
  readonly receivedPackets: number[];
  readonly writes: number[];
  readonly emit: (event: TranscriberEvent) => void;
  closed: number;
}

/** Every byte of a packet is the packet's number from 0, so the bytes of a stream show which packets it got. */
function audioSetup(format?: AudioFormat) {
  const streams: Stream[] = [];
  const postedEvents: CallEvent[] = [];
  const inbox: (() => void)[] = [];
  const simulated = new UnframedMedia(new SimulatedClock(0));
  let deliverAudio: (format: AudioFormat, audio: Uint8Array) => void = () => {};
  const media: Media = Object.assign(simulated, {
    ...(format === undefined ? {} : { format }),
    onAudio: (listener: typeof deliverAudio) => {
      deliverAudio = listener;
    },
  });
  const transcriber: Transcriber = {
    traitsOf: () => ({ detectsTurns: false, finalP99Ms: 400 }),
    open: (_options, emit) => {
      const stream: Stream = { receivedPackets: [], writes: [], emit, closed: 0 };
      streams.push(stream);
      return {
        write: (audio) => {
          stream.receivedPackets.push(...audio.filter((_, index) => index % PACKET_BYTES === 0));
          stream.writes.push(audio.length / PACKET_BYTES);
        },
        finalize: () => {},
        close: () => {
          stream.closed++;
        },
      };
    },
  };
  const audio = new UserAudioToTranscriber(transcriber, media, (event, isStillWanted) =>
    inbox.push(() => {
      if (isStillWanted?.() !== false) postedEvents.push(event);
    }),
  );
  let packets = 0;
  return {
    audio,
    streams,
    postedEvents,
    sendAudio: (ms: number) => {
      for (const end = packets + ms / PACKET_MS; packets < end; packets++) {
        deliverAudio(media.format, new Uint8Array(PACKET_BYTES).fill(packets % 256));
      }
    },
    processInbox: () => {
      for (const post of inbox.splice(0)) post();
    },
  };
}

const packetNumbers = (fromMs: number, toMs: number) =>
  Array.from({ length: (toMs - fromMs) / PACKET_MS }, (_, index) => (fromMs / PACKET_MS + index) % 256);

describe('the user’s audio', () => {
  it('goes to the first stream packet by packet, as it arrives', () => {
    const { audio, streams, sendAudio } = audioSetup();
    expect(audio.open(OPTIONS, 0)).toBe(0);
    sendAudio(100);
    expect(streams[0]?.receivedPackets).toEqual(packetNumbers(0, 100));
    expect(streams[0]?.writes).toEqual([1, 1, 1, 1, 1]);
    expect(audio.audioMs).toBe(100);
  });

  it('is repeated to the next stream from the requested position, without gap or overlap', () => {
    const { audio, streams, sendAudio } = audioSetup();
    audio.open(OPTIONS, 0);
    sendAudio(1_000);
    streams[0]?.emit(FAILED);
    sendAudio(200);
    expect(audio.open(OPTIONS, 400)).toBe(0);
    sendAudio(100);
    // Nothing is written before the stream is ready, because streams buffer too little.
    expect(streams[1]?.receivedPackets).toEqual([]);
    streams[1]?.emit({ type: 'ready' });
    expect(streams[1]?.receivedPackets).toEqual(packetNumbers(400, 1_300));
    sendAudio(200);
    expect(streams[1]?.receivedPackets).toEqual(packetNumbers(400, 1_500));
    expect(streams[0]?.receivedPackets).toEqual(packetNumbers(0, 1_000));
  });

  it('is repeated in parts if it is long, so that no socket is flooded', () => {
    const { audio, streams, sendAudio } = audioSetup();
    audio.open(OPTIONS, 0);
    sendAudio(25_000);
    audio.open(OPTIONS, 5_000);
    streams[1]?.emit({ type: 'ready' });
    sendAudio(2_000);
    expect(streams[1]?.receivedPackets).toEqual(packetNumbers(5_000, 27_000));
    // 8 s at once, then 1 s with each new packet until the stream has caught up, then packet by packet.
    expect(streams[1]?.writes.slice(0, 3)).toEqual([400, 50, 50]);
    expect(streams[1]?.writes.at(-1)).toBe(1);
  });

  it('is kept for 30 s; the loss of older audio is reported, and the times stay correct', () => {
    const { audio, streams, postedEvents, sendAudio, processInbox } = audioSetup();
    audio.open(OPTIONS, 0);
    sendAudio(40_000);
    expect(audio.open(OPTIONS, 4_000)).toBe(6_000);
    streams[1]?.emit({ type: 'ready' });
    sendAudio(1_000);
    expect(streams[1]?.receivedPackets).toEqual(packetNumbers(10_000, 41_000));
    streams[1]?.emit({ type: 'interim', text: 'Yes', startMs: 500, endMs: 900 });
    processInbox();
    expect(postedEvents.at(-1)).toEqual({ type: 'transcriber.interim', text: 'Yes', startMs: 10_500, endMs: 10_900 });
  });

  it('is dropped up to the last final, which no stream needs again', () => {
    const { audio, streams, sendAudio } = audioSetup();
    audio.open(OPTIONS, 0);
    sendAudio(2_000);
    streams[0]?.emit({ type: 'final', text: 'Yes.', words: [], startMs: 0, endMs: 1_500 });
    expect(audio.open(OPTIONS, 1_000)).toBe(500);
    streams[1]?.emit({ type: 'ready' });
    expect(streams[1]?.receivedPackets).toEqual(packetNumbers(1_500, 2_000));
  });

  it('has one clock: all times of a later stream count from the call’s first sample', () => {
    const { audio, streams, postedEvents, sendAudio, processInbox } = audioSetup();
    audio.open(OPTIONS, 0);
    sendAudio(3_000);
    audio.open(OPTIONS, 2_000);
    const [, second] = streams;
    const word = { text: 'four', startMs: 100, endMs: 300 };
    for (const event of [
      { type: 'ready' },
      { type: 'final', text: 'four', words: [word], startMs: 100, endMs: 400 },
      { type: 'utterance_end', lastWordEndMs: 300 },
      { type: 'turn', phase: 'ended', text: 'four', startMs: 100, endMs: 400 },
    ] satisfies TranscriberEvent[])
      second?.emit(event);
    processInbox();
    expect(postedEvents).toEqual([
      { type: 'transcriber.ready' },
      {
        type: 'transcriber.final',
        text: 'four',
        words: [{ ...word, startMs: 2_100, endMs: 2_300 }],
        startMs: 2_100,
        endMs: 2_400,
      },
      { type: 'transcriber.utterance_end', lastWordEndMs: 2_300 },
      { type: 'transcriber.turn', phase: 'ended', text: 'four', startMs: 2_100, endMs: 2_400 },
    ]);
  });

  it('drops the events of a replaced stream, including those that wait in the inbox', () => {
    const { audio, streams, postedEvents, sendAudio, processInbox } = audioSetup();
    audio.open(OPTIONS, 0);
    sendAudio(1_000);
    streams[0]?.emit({ type: 'interim', text: 'Yes', startMs: 0, endMs: 900 });
    audio.open(OPTIONS, 0);
    streams[0]?.emit({ type: 'interim', text: 'Yes please', startMs: 0, endMs: 990 });
    streams[0]?.emit(FAILED);
    processInbox();
    expect(postedEvents).toEqual([]);
    expect(streams[0]?.closed).toBe(1);
    audio.close();
    streams[1]?.emit(FAILED);
    processInbox();
    expect(postedEvents).toEqual([]);
    expect(streams[1]?.closed).toBe(1);
  });

  it('is never cut inside a 16-bit sample', () => {
    const { audio, streams, sendAudio } = audioSetup({ encoding: 'linear16', sampleRateHz: 16_000 });
    audio.open(OPTIONS, 0);
    sendAudio(1_000);
    // 1,000 ms of 160-byte packets are 250 ms of this audio.
    audio.open(OPTIONS, 100.03);
    streams[1]?.emit({ type: 'ready' });
    expect((streams[1]?.writes[0] ?? 0) * PACKET_BYTES).toBe(2 * Math.round((250 - 100.03) * 16));
  });
});
