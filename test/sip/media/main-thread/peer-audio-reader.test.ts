import { describe, expect, it } from 'vitest';
import { ALAW_8K, MULAW_8K, PeerAudioReader } from '../../../../sip/media/main-thread/peer-audio-reader.ts';
import { CODEC_ALAW, CODEC_MULAW, createAudioFrame } from '../../../../sip/media/worker-channel/audio-frame.ts';
import { createSessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';

function call(generation = 1, format = MULAW_8K) {
  const memory = createSessionMemory();
  const reader = new PeerAudioReader(memory.peerAudio, 0, generation, format);
  const pushFrame = (value: number, changes = {}) => {
    const frame = Object.assign(createAudioFrame(), { slot: 0, generation: 1, length: 160, ...changes });
    memory.peerAudio.pushOverOldest(frame, new Uint8Array(160).fill(value), 0);
  };
  return { reader, pushFrame };
}

describe('peer audio reader', () => {
  it('passes early audio to the first listener only, in order', () => {
    const { reader, pushFrame } = call();
    for (let i = 0; i < 3; i++) pushFrame(i);
    reader.collect();
    const firstListener: number[] = [];
    const secondListener: number[] = [];
    reader.listen((_, audio) => firstListener.push(...audio.filter((__, i) => i % 160 === 0)));
    reader.listen((_, audio) => secondListener.push(...audio.filter((__, i) => i % 160 === 0)));
    pushFrame(3);
    reader.collect();
    expect(firstListener).toEqual([0, 1, 2, 3]);
    expect(secondListener).toEqual([3]);
  });

  it('keeps the last 5 s for the first listener and drops older audio', () => {
    const { reader, pushFrame } = call();
    for (let i = 0; i < 300; i++) {
      pushFrame(i % 256);
      reader.collect();
    }
    const firstBytes: number[] = [];
    reader.listen((_, audio) => firstBytes.push(audio[0] ?? -1));
    expect(firstBytes).toHaveLength(250);
    expect(firstBytes[0]).toBe(50);
  });

  it('passes the format and a copy of the bytes to the listener', () => {
    const { reader, pushFrame } = call(1, ALAW_8K);
    const received: Uint8Array[] = [];
    reader.listen((format, audio) => {
      received.push(audio);
      expect(format).toEqual({ encoding: 'alaw', sampleRateHz: 8000 });
    });
    for (const value of [1, 2]) {
      pushFrame(value, { codec: CODEC_ALAW });
      reader.collect();
    }
    expect(received.map((audio) => audio[159])).toEqual([1, 2]);
  });

  it.each([
    { wire: CODEC_ALAW, format: MULAW_8K, silence: 0xd5, heard: 0xfe },
    { wire: CODEC_MULAW, format: ALAW_8K, silence: 0xff, heard: 0xd5 },
  ])('converts the other law to the format of the session: $format.encoding', ({ wire, format, silence, heard }) => {
    const { reader, pushFrame } = call(1, format);
    const received: [string, number | undefined][] = [];
    reader.listen(({ encoding }, audio) => received.push([encoding, audio[0]]));
    pushFrame(silence, { codec: wire });
    reader.collect();
    expect(received).toEqual([[format.encoding, heard]]);
  });

  it("ignores another call's frames", () => {
    const { reader, pushFrame } = call(2);
    let frames = 0;
    reader.listen(() => frames++);
    pushFrame(1);
    pushFrame(2, { generation: 2, slot: 9 });
    pushFrame(3, { generation: 2 });
    reader.collect();
    expect(frames).toBe(1);
  });
});
