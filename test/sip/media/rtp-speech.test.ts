import { expect, test } from 'vitest';
import { allOnce, speak } from '../../rtp-peer/rtp-speech.ts';
import { mediaHarness } from './media-harness.ts';

const { peer } = mediaHarness(32_000);
const FRAME = new Uint8Array(160);

test('a peer says as much as passes in RTP time, in packets of any length and over skipped ones', async () => {
  const [leg, speaker] = await Promise.all([peer(), peer()]);
  let isHeard = false;
  const speech = { to: leg.port, payloadType: 0, units: 160, frame: () => FRAME };
  const spoken = speak(speaker, speech, () => isHeard);
  // RTP time of the leg's packet, and the frames that were said by then: one more than have passed.
  for (const [timestamp, frames] of [
    [0, 2],
    [240, 3],
    [480, 5],
    [4_800, 32],
  ] as const) {
    leg.timestamp = timestamp;
    await leg.send(speaker.port, FRAME);
    await leg.until(() => leg.packets.length >= frames);
    expect(leg.packets).toHaveLength(frames);
  }
  expect(leg.packets.map(({ timestamp }) => timestamp - 8_000)).toEqual(Array.from({ length: 32 }, (_, i) => i * 160));
  isHeard = true;
  leg.timestamp = 48_000;
  await leg.send(speaker.port, FRAME);
  await spoken;
});

test('conditions that hold at different looks have all held once', () => {
  let [first, second] = [true, false];
  const all = allOnce(
    () => first,
    () => second,
  );
  expect(all()).toBe(false);
  [first, second] = [false, true];
  expect(all()).toBe(true);
  second = false;
  expect(all()).toBe(true);
});
