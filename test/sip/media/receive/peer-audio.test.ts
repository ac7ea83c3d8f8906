import { describe, expect, it } from 'vitest';
import type { AudioFormat } from '../../../../base/audio/audio-format.ts';
import { loadResamplers } from '../../../../base/audio/resampler.ts';
import { loadVoiceClassifiers, VoiceActivityDetector } from '../../../../sip/media/detection/voice-activity.ts';
import { LINEAR16_16K, MULAW_8K, PeerAudioReader } from '../../../../sip/media/main-thread/peer-audio-reader.ts';
import { PeerAudio } from '../../../../sip/media/receive/peer-audio.ts';
import { createSessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';
import { WorkerStatistics } from '../../../../sip/media/worker-channel/worker-statistics.ts';
import { type AudioCodec, CODEC_TRAITS } from '../../../../sip/rtp/codecs/audio-codec.ts';
import { createOpus } from '../../../../sip/rtp/codecs/opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS } from '../../../../sip/rtp/codecs/opus-parameters.ts';
import { peerAudioOfCall } from './peer-audio-of-call.ts';

/** Packets of 20 ms in mu-law. */
const SILENT = new Uint8Array(160).fill(0xff);
const LOUD = Uint8Array.from({ length: 160 }, (_, i) => (i % 20 < 10 ? 0x10 : 0x90));

/** Passes packets to `PeerAudio`. `say` returns the length in packets of each piece that the listener received. */
async function call() {
  const [resamplers, classifiers] = await Promise.all([loadResamplers(), loadVoiceClassifiers()]);
  const vad = new VoiceActivityDetector(classifiers());
  const pieces: number[] = [];
  const agent = { isHeard: false };
  const peerAudio = peerAudioOfCall(
    {
      resamplers,
      hear: () => undefined,
      hearSpeech: (samples, length) => vad.write(samples, length, () => undefined),
      silentMs: () => vad.silentMs,
      isAgentHeard: () => agent.isHeard,
    },
    (audio) => pieces.push(audio.length / SILENT.length),
  );
  let timestamp = 0;
  const say = (packet: Uint8Array, times: number) => {
    pieces.length = 0;
    for (let i = 0; i < times; i++) {
      peerAudio.take(packet, packet.length, timestamp, 0);
      timestamp += packet.length;
    }
    return [...pieces];
  };
  return { agent, peerAudio, pieces, say };
}

it('passes silence on in pieces of 100 ms after one second, and speech packet by packet', async () => {
  const { say } = await call();
  expect(say(LOUD, 10)).toEqual(Array(10).fill(1));
  expect(say(SILENT, 50)).toEqual(Array(49).fill(1));
  expect(say(SILENT, 11)).toEqual([5, 5]);
  expect(say(LOUD, 3)).toEqual([3, 1, 1]);
  expect(say(SILENT, 49)).toEqual(Array(49).fill(1));
});

it('passes silence on in pieces of 100 ms after 0.3 s while the agent is heard, and the word that interrupts it at once', async () => {
  const { agent, say } = await call();
  agent.isHeard = true;
  expect(say(LOUD, 10)).toEqual(Array(10).fill(1));
  expect(say(SILENT, 15)).toEqual(Array(14).fill(1));
  expect(say(SILENT, 9)).toEqual([5, 5]);
  expect(say(SILENT, 2)).toEqual([]);
  expect(say(LOUD, 2)).toEqual([3, 1]);
  agent.isHeard = false;
  expect(say(SILENT, 49)).toEqual(Array(49).fill(1));
});

it('flush passes the gathered audio on once', async () => {
  const { peerAudio, pieces, say } = await call();
  expect(say(SILENT, 52)).toEqual(Array(49).fill(1));
  peerAudio.flush();
  peerAudio.flush();
  expect(pieces).toEqual([...Array(49).fill(1), 3]);
});

/** A session that counts the audio of the listener and of voice activity, in ms. `send` sends 20 ms of a loud tone. */
async function countedAudio(codec: AudioCodec, format: AudioFormat) {
  const memory = createSessionMemory();
  const reader = new PeerAudioReader(memory.peerAudio, 0, 1, format);
  const bytesPerMs = (format.sampleRateHz * (format.encoding === 'linear16' ? 2 : 1)) / 1_000;
  const opus = createOpus();
  const total = { listenedMs: 0, heardMs: 0, skippedMs: 0 };
  const loudnessOfFrames: number[] = [];
  reader.listen((_, audio) => {
    total.listenedMs += audio.length / bytesPerMs;
  });
  const peerAudio = new PeerAudio({
    memory,
    slot: 0,
    generation: 1,
    format,
    resamplers: await loadResamplers(),
    opus,
    recorder: null,
    statistics: new WorkerStatistics(),
    ready: () => reader.collect(),
    hear: () => undefined,
    hearSpeech: (samples, length) => {
      total.heardMs += length / 8;
      loudnessOfFrames.push(Math.max(...samples.subarray(0, length)));
    },
    skipSpeech: (samples) => {
      total.skippedMs += samples / 8;
    },
    silentMs: () => 0,
    isAgentHeard: () => false,
  });
  peerAudio.configure(codec);
  const encoder = opus.createEncoder(DEFAULT_OPUS_PARAMETERS);
  const tone = Int16Array.from({ length: 320 }, (_, i) => (i % 40 < 20 ? 8_000 : -8_000));
  const opusPacket = new Uint8Array(1_000);
  const payloads = { pcmu: LOUD, pcma: LOUD, g722: LOUD };
  /** Timestamps start close to their wrap-around. */
  const send = (atMs: number, lostBefore: number) => {
    const timestamp = (0xffff_f000 + (atMs * CODEC_TRAITS[codec].clockHz) / 1_000) >>> 0;
    const payload =
      codec === 'opus' ? opusPacket.subarray(0, encoder.encode(tone, tone.length, opusPacket, 0)) : payloads[codec];
    peerAudio.take(payload, payload.length, timestamp, lostBefore);
  };
  return { total, loudnessOfFrames, send };
}

describe.each([
  { codec: 'pcmu', format: MULAW_8K },
  { codec: 'pcmu', format: LINEAR16_16K },
  { codec: 'pcma', format: MULAW_8K },
  { codec: 'g722', format: MULAW_8K },
  { codec: 'g722', format: LINEAR16_16K },
  { codec: 'opus', format: LINEAR16_16K },
] as const)('a gap in $codec, heard as $format.encoding', ({ codec, format }) => {
  /** The upsampler holds back a few samples. */
  const UPSAMPLER_MS = 3;
  /** The last three lost packets of Opus. */
  const RECOVERED_MS = 60;

  it.each([1, 2, 3, 5, 20])('of %d lost packets keeps the position in the audio equal to RTP time', async (lost) => {
    const { total, send } = await countedAudio(codec, format);
    send(0, 0);
    send(20, 0);
    send(40 + 20 * lost, lost);
    const rtpMs = 60 + 20 * lost;
    expect(total.heardMs).toBe(rtpMs);
    expect(total.listenedMs).toBeGreaterThanOrEqual(rtpMs - UPSAMPLER_MS);
    expect(total.listenedMs).toBeLessThanOrEqual(rtpMs);
  });

  it('of silence suppression is filled with silence', async () => {
    const { total, loudnessOfFrames, send } = await countedAudio(codec, format);
    send(0, 0);
    send(20, 0);
    send(740, 0);
    expect(total.heardMs).toBe(760);
    expect(loudnessOfFrames.slice(4, -1)).toEqual(Array(loudnessOfFrames.length - 5).fill(0));
  });

  it('of a second or less is filled, a longer one is skipped', async () => {
    const filled = await countedAudio(codec, format);
    filled.send(0, 0);
    filled.send(1_020, 50);
    expect(filled.total).toMatchObject({ heardMs: 1_040, skippedMs: 0 });

    const skipped = await countedAudio(codec, format);
    skipped.send(0, 0);
    skipped.send(1_040, 0);
    expect(skipped.total).toMatchObject({ heardMs: 40, skippedMs: 1_020 });
  });

  it('of more than a second of lost packets is skipped up to the packets that are recovered', async () => {
    const { total, send } = await countedAudio(codec, format);
    send(0, 0);
    send(1_500, 74);
    expect(total.heardMs).toBe(40 + (codec === 'opus' ? RECOVERED_MS : 0));
    expect(total.heardMs + total.skippedMs).toBe(1_520);
  });
});

it('conceals the start of lost audio, so that a syllable does not end there', async () => {
  const { loudnessOfFrames, send } = await countedAudio('pcmu', MULAW_8K);
  send(0, 0);
  send(120, 5);
  const [spoken = 0, first = 0, second = 0, third = 0, fourth = 0] = loudnessOfFrames;
  expect(first).toBeLessThanOrEqual(spoken);
  expect(second).toBeGreaterThan(0);
  expect(second).toBeLessThan(first);
  expect(third).toBeLessThan(second);
  expect(fourth).toBe(0);
});
