import { expect, it } from 'vitest';
import { WebChannelEndpoint } from '../../../../sip/media/main-thread/web-channel-endpoint.ts';
import { createAudioFrame } from '../../../../sip/media/worker-channel/audio-frame.ts';
import { viewWebChannelMemory } from '../../../../sip/media/worker-channel/web-channel.ts';

const FRAME_SAMPLES = 320;
const FRAME_MS = 20;
/** Audio of the user that the channel holds, ms. */
const HELD_MS = 1_900;
const WRITTEN = 1_000;

it('drops the oldest of too many frames of the user, and keeps the newest', () => {
  const endpoint = new WebChannelEndpoint({ slot: 0, generation: 0 });
  for (let value = 1; value <= WRITTEN; value++) {
    endpoint.write(new Uint8Array(new Int16Array(FRAME_SAMPLES).fill(value).buffer));
  }
  const { peerAudio } = viewWebChannelMemory(endpoint.memory.shared);
  const samples = new Int16Array(FRAME_SAMPLES);
  const received: number[] = [];
  while (peerAudio.take(createAudioFrame(), new Uint8Array(samples.buffer))) received.push(samples[0] ?? 0);
  expect(Math.floor((received.length * FRAME_MS) / 100) * 100).toBe(HELD_MS);
  expect(peerAudio.dropped).toBe(WRITTEN - received.length);
  expect(received).toEqual(received.map((_, nth) => WRITTEN - received.length + 1 + nth));
});
