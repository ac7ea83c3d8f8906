import { beforeAll, describe, expect, it } from 'vitest';
import { encodeMulaw } from '../../../../base/audio/g711.ts';
import { loadResamplers, type Resamplers } from '../../../../base/audio/resampler.ts';
import { CLEARED, PAUSED } from '../../../../sip/media/worker-channel/session-memory.ts';
import { toneOfSamples } from '../../../rtp-peer/tone.ts';
import { drain, MULAW, PACKET, type Player, playerOn } from './player.ts';

let resamplers: Resamplers;

beforeAll(async () => {
  resamplers = await loadResamplers();
});

const createPlayer = () => playerOn(resamplers);

/** A quiet stretch in loud audio, as between two words. */
const QUIET_SAMPLES = 160;
const QUIET_AT = 960;

function speechWithPause(length: number, quietAt: number): Uint8Array {
  const loud = toneOfSamples(440, length);
  const samples = loud.map((sample, i) => (i >= quietAt && i < quietAt + QUIET_SAMPLES ? sample >> 6 : sample));
  const codes = new Uint8Array(length);
  encodeMulaw(samples, 0, length, codes);
  return codes;
}

function pauseAndResume(player: Player): void {
  Atomics.store(player.memory.control, PAUSED, 1);
  player.packet();
  Atomics.store(player.memory.control, PAUSED, 0);
  player.packet();
}

describe('a pause of the playout', () => {
  it('pauses before the next packet, and resumes at the energy minimum, which counts once', () => {
    const player = createPlayer();
    const audio = speechWithPause(4_000, QUIET_AT);
    player.writer.play(0, 0, MULAW, audio);
    player.writer.endSegment(0, 0);
    const before = Array.from({ length: 12 }, () => player.packet());
    const pausedAt = 12 * PACKET;
    Atomics.store(player.memory.control, PAUSED, 1);
    expect([player.packet(), player.packet(), player.packet()].every((packet) => packet.length === 0)).toBe(true);
    expect(player.playout.playedMs(0)).toBe(pausedAt / 8);
    Atomics.store(player.memory.control, PAUSED, 0);
    const after = drain(player);
    const replayedMs = (pausedAt - (QUIET_AT + QUIET_SAMPLES / 2)) / 8;
    expect(player.events[1]).toEqual({ type: 'resumed', utterance: 0, replayedMs });
    expect(Uint8Array.from(Buffer.concat(before))).toEqual(audio.slice(0, pausedAt));
    expect(Uint8Array.from(after)).toEqual(audio.slice(pausedAt - replayedMs * 8));
    expect(player.playout.playedMs(0)).toBe(audio.length / 8);
  });

  it('does not go back over the start of a segment, nor farther than 400 ms', () => {
    const player = createPlayer();
    player.writer.play(0, 0, MULAW, speechWithPause(1_600, 0));
    player.writer.endSegment(0, 0);
    player.writer.play(0, 1, MULAW, speechWithPause(8_000, 4_000));
    for (let i = 0; i < 13; i++) player.packet();
    pauseAndResume(player);
    expect(player.events.find(({ type }) => type === 'resumed')).toMatchObject({ replayedMs: expect.any(Number) });
    for (const event of player.events) if (event.type === 'resumed') expect(event.replayedMs).toBeLessThanOrEqual(60);
    for (let i = 0; i < 25; i++) player.packet();
    player.events.length = 0;
    pauseAndResume(player);
    for (const event of player.events) if (event.type === 'resumed') expect(event.replayedMs).toBeLessThanOrEqual(400);
  });

  it('plays nothing again if the audio was cleared during the pause', () => {
    const player = createPlayer();
    player.writer.play(0, 0, MULAW, speechWithPause(4_000, QUIET_AT));
    for (let i = 0; i < 12; i++) player.packet();
    Atomics.store(player.memory.control, PAUSED, 1);
    player.packet();
    Atomics.store(player.memory.control, CLEARED, 0);
    Atomics.store(player.memory.control, PAUSED, 0);
    expect(player.packet()).toHaveLength(0);
  });

  it('stops what it plays again as soon as it is cleared', () => {
    const player = createPlayer();
    player.writer.play(0, 0, MULAW, speechWithPause(4_000, QUIET_AT));
    for (let i = 0; i < 12; i++) player.packet();
    pauseAndResume(player);
    Atomics.store(player.memory.control, CLEARED, 0);
    expect(player.packet()).toHaveLength(0);
  });
});
