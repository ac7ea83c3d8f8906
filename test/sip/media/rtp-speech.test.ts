import { expect, it } from 'vitest';
import { allOnce, speak } from '../../rtp-peer/rtp-speech.ts';
import { mediaHarness } from './media-harness.ts';

const { peer } = mediaHarness(13_000);
const FRAME = new Uint8Array(160);

it('sends one frame per 20 ms of RTP time of the session, for packets of any length and over skipped ones', async () => {
  const [session, speaker] = await Promise.all([peer(), peer()]);
  let isHeard = false;
  const speech = { to: session.port, payloadType: 0, units: 160, frame: () => FRAME };
  const spoken = speak(speaker, speech, () => isHeard);
  // RTP time of the session's packet, and the frames sent by then: one more than have passed.
  for (const [timestamp, frames] of [
    [0, 2],
    [240, 3],
    [480, 5],
    [4_800, 32],
  ] as const) {
    session.timestamp = timestamp;
    await session.send(speaker.port, FRAME);
    await session.until(() => session.packets.length >= frames);
    expect(session.packets).toHaveLength(frames);
  }
  expect(session.packets.map(({ timestamp }) => timestamp - 8_000)).toEqual(
    Array.from({ length: 32 }, (_, i) => i * 160),
  );
  isHeard = true;
  session.timestamp = 48_000;
  await session.send(speaker.port, FRAME);
  await spoken;
});

it('allOnce is true once each condition was true, even at different times', () => {
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
