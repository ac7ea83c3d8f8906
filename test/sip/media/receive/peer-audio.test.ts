import { expect, test } from 'vitest';
import { loadResamplers } from '../../../../base/audio/resampler.ts';
import { loadVoiceClassifiers, VoiceActivityDetector } from '../../../../sip/media/detection/voice-activity.ts';
import { MULAW_8K, PeerAudioReader } from '../../../../sip/media/main-thread/peer-audio-reader.ts';
import { PeerAudio } from '../../../../sip/media/receive/peer-audio.ts';
import { createSessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';
import { WorkerStatistics } from '../../../../sip/media/worker-channel/worker-statistics.ts';
import { createOpus } from '../../../../sip/rtp/codecs/opus-codec.ts';

/** Packets of 20 ms in mu-law. */
const SILENT = new Uint8Array(160).fill(0xff);
const LOUD = Uint8Array.from({ length: 160 }, (_, i) => (i % 20 < 10 ? 0x10 : 0x90));

/** Passes packets to `PeerAudio`. `say` returns the length in packets of each piece that the listener received. */
async function call() {
  const [resamplers, classifiers] = await Promise.all([loadResamplers(), loadVoiceClassifiers()]);
  const vad = new VoiceActivityDetector(classifiers());
  const memory = createSessionMemory();
  const reader = new PeerAudioReader(memory.peerAudio, 0, 1, MULAW_8K);
  const pieces: number[] = [];
  reader.listen((_, audio) => pieces.push(audio.length / SILENT.length));
  const peerAudio = new PeerAudio({
    memory,
    slot: 0,
    generation: 1,
    format: MULAW_8K,
    resamplers,
    opus: createOpus(),
    recorder: null,
    statistics: new WorkerStatistics(),
    ready: () => reader.collect(),
    hear: (samples, length) => vad.write(samples, length, () => undefined),
    silentMs: () => vad.silentMs,
  });
  let timestamp = 0;
  const say = (packet: Uint8Array, times: number) => {
    pieces.length = 0;
    for (let i = 0; i < times; i++) {
      peerAudio.take(packet, packet.length, timestamp, 0);
      timestamp += packet.length;
    }
    return [...pieces];
  };
  return { peerAudio, pieces, say };
}

test('passes silence on in pieces of 100 ms after one second, and speech packet by packet', async () => {
  const { say } = await call();
  expect(say(LOUD, 10)).toEqual(Array(10).fill(1));
  expect(say(SILENT, 50)).toEqual(Array(49).fill(1));
  expect(say(SILENT, 11)).toEqual([5, 5]);
  expect(say(LOUD, 3)).toEqual([3, 1, 1]);
  expect(say(SILENT, 49)).toEqual(Array(49).fill(1));
});

test('flush passes the gathered audio on once', async () => {
  const { peerAudio, pieces, say } = await call();
  expect(say(SILENT, 52)).toEqual(Array(49).fill(1));
  peerAudio.flush();
  peerAudio.flush();
  expect(pieces).toEqual([...Array(49).fill(1), 3]);
});
