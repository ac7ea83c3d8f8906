import { describe, expect, test } from 'vitest';
import { ALAW_8K, MULAW_8K, PeerAudioReader } from '../../../../sip/media/main-thread/peer-audio-reader.ts';
import { CODEC_ALAW, CODEC_MULAW, createAudioFrame } from '../../../../sip/media/worker-channel/audio-frame.ts';
import { createSessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';

function call(generation = 1, format = MULAW_8K) {
  const memory = createSessionMemory();
  const uplink = new PeerAudioReader(memory.peerAudio, 0, generation, format);
  const hear = (value: number, changes = {}) => {
    const frame = Object.assign(createAudioFrame(), { slot: 0, generation: 1, length: 160, ...changes });
    memory.peerAudio.pushOverOldest(frame, new Uint8Array(160).fill(value), 0);
  };
  return { uplink, hear };
}

describe("the caller's audio on the main thread", () => {
  test('what came before anyone listened is given to the first listener, in order, and to no second one', () => {
    const { uplink, hear } = call();
    for (let i = 0; i < 3; i++) hear(i);
    uplink.collect();
    const first: number[] = [];
    const second: number[] = [];
    uplink.listen((_, audio) => first.push(...audio.filter((__, i) => i % 160 === 0)));
    uplink.listen((_, audio) => second.push(...audio.filter((__, i) => i % 160 === 0)));
    hear(3);
    uplink.collect();
    expect(first).toEqual([0, 1, 2, 3]);
    expect(second).toEqual([3]);
  });

  test('keeps the last 5 s and drops what is older', () => {
    const { uplink, hear } = call();
    for (let i = 0; i < 300; i++) {
      hear(i % 256);
      uplink.collect();
    }
    const heard: number[] = [];
    uplink.listen((_, audio) => heard.push(audio[0] ?? -1));
    expect(heard).toHaveLength(250);
    expect(heard[0]).toBe(50);
  });

  test("names the codec, and gives bytes that are the listener's own", () => {
    const { uplink, hear } = call(1, ALAW_8K);
    const kept: Uint8Array[] = [];
    uplink.listen((format, audio) => {
      kept.push(audio);
      expect(format).toEqual({ encoding: 'alaw', sampleRateHz: 8000 });
    });
    for (const value of [1, 2]) {
      hear(value, { codec: CODEC_ALAW });
      uplink.collect();
    }
    expect(kept.map((audio) => audio[159])).toEqual([1, 2]);
  });

  test.each([
    { wire: CODEC_ALAW, format: MULAW_8K, silence: 0xd5, heard: 0xfe },
    { wire: CODEC_MULAW, format: ALAW_8K, silence: 0xff, heard: 0xd5 },
  ])(
    'gives the law that was agreed on when the wire speaks the other: $format.encoding',
    ({ wire, format, silence, heard }) => {
      const { uplink, hear } = call(1, format);
      const given: [string, number | undefined][] = [];
      uplink.listen(({ encoding }, audio) => given.push([encoding, audio[0]]));
      hear(silence, { codec: wire });
      uplink.collect();
      expect(given).toEqual([[format.encoding, heard]]);
    },
  );

  test("does not hear another call's frames", () => {
    const { uplink, hear } = call(2);
    let heard = 0;
    uplink.listen(() => heard++);
    hear(1);
    hear(2, { generation: 2, slot: 9 });
    hear(3, { generation: 2 });
    uplink.collect();
    expect(heard).toBe(1);
  });
});
