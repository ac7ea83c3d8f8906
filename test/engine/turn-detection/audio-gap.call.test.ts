import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const PACKET_MS = 20;
/** A message of 10 s. */
const MESSAGE = `${'Our office is open on every day of the week from nine to five. '.repeat(3)}Do come by.`;
const MESSAGE_END_MS = VOICE_MS + (MESSAGE.length - 3) * CHARACTER_MS;

/** The peer sends packets until `untilMs`, then none for `gapMs`, then packets again. */
function withGap(call: Simulation, untilMs: number, gapMs: number, endMs: number): Simulation {
  for (let atMs = PACKET_MS; atMs <= endMs; atMs += PACKET_MS) {
    if (atMs <= untilMs || atMs > untilMs + gapMs) call.at(atMs / 1000, () => call.media.receive(PACKET_MS));
  }
  return call;
}

describe('a peer that sends no packets for a while', () => {
  const SPOKEN = { fromMs: 5_000, untilMs: 5_300 };
  const LAST_PACKET_MS = 5_500;

  /** The user says this over the message, and the peer is silent after `LAST_PACKET_MS`. */
  function callWithWords(text: string) {
    const call = new Simulation({ agent: { initial_message: MESSAGE } }).userSpeaks(
      SPOKEN.fromMs / 1000,
      SPOKEN.untilMs / 1000,
      text,
      { finalAfter: 0.3 },
    );
    return withGap(call, LAST_PACKET_MS, 60_000, LAST_PACKET_MS);
  }

  it('leaves a backchannel before that at its time: it is not answered', () => {
    const call = callWithWords('Mhm.').runUntil(20);
    expect(call.heard.at(-1)?.toMs).toBe(MESSAGE_END_MS);
    expect(call.modelRequests).toHaveLength(0);
    expect(call.transcript.find(({ role }) => role === 'user')).toMatchObject({
      startUs: SPOKEN.fromMs * 1000,
      endUs: SPOKEN.untilMs * 1000,
    });
    expectReplay(call);
  });

  it.each([1_500, 8_000])('for %i ms is heard at the right time afterwards', (gapMs) => {
    const spokenMs = LAST_PACKET_MS + gapMs;
    // Positions count the received audio only.
    const call = withGap(
      new Simulation({ agent: { initial_message: MESSAGE } }),
      LAST_PACKET_MS,
      gapMs,
      spokenMs + 4_000,
    )
      .at((spokenMs + 60) / 1000, ({ media }) => media.emit({ type: 'speech_started', audioMs: LAST_PACKET_MS }))
      .at((spokenMs + 1_200) / 1000, ({ media }) =>
        media.emit({ type: 'speech_stopped', audioMs: LAST_PACKET_MS + 1_000 }),
      )
      .at((spokenMs + 1_300) / 1000, (other) =>
        other.emitFinal(LAST_PACKET_MS / 1000, LAST_PACKET_MS / 1000 + 1, 'When do you open?'),
      )
      .runUntil(20);
    expect(call.transcript.find(({ role }) => role === 'user')).toMatchObject({
      startUs: spokenMs * 1000,
      endUs: (spokenMs + 1_000) * 1000,
    });
    expect(call.modelRequests).toHaveLength(1);
    expectReplay(call);
  });

  it('within speech leaves the words before that at their time', () => {
    const call = withGap(
      new Simulation({ agent: { initial_message: MESSAGE } }),
      LAST_PACKET_MS,
      60_000,
      LAST_PACKET_MS,
    )
      .at(5.1, ({ media }) => media.emit({ type: 'speech_started', audioMs: SPOKEN.fromMs }))
      .at(6.5, (other) => other.emitFinal(5, 5.3, 'Mhm.'))
      .runUntil(20);
    expect(call.transcript.find(({ role }) => role === 'user')).toMatchObject({
      startUs: SPOKEN.fromMs * 1000,
      endUs: SPOKEN.untilMs * 1000,
    });
  });
});
