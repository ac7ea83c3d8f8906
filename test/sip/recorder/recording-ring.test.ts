import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRecordingMemory,
  PEER_DELAY_FRAMES,
  pauseRecording,
  RECORDING_RING_FRAMES,
  RecordingReader,
  RecordingTrack,
} from '../../../sip/recorder/recording-ring.ts';

const CHUNK = new Int16Array(RECORDING_RING_FRAMES * 2);

/** Writes `count` frames. Both samples of a frame are its number. */
function writeNumberedFrames(track: RecordingTrack, count: number): void {
  for (let done = 0; done < count; done += 160) {
    const length = Math.min(160, count - done);
    const start = track.written;
    const agent = Int16Array.from({ length }, (_, i) => (start + i) & 0x7fff);
    track.write(
      agent.map((_, i) => (start + i - PEER_DELAY_FRAMES) & 0x7fff),
      0,
      agent,
      0,
      length,
    );
  }
}

describe('recording ring', () => {
  it('returns every frame once and in order, for any order of writes and reads', () => {
    const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6000 })), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (plan) => {
        const memory = createRecordingMemory();
        const track = new RecordingTrack(memory);
        let reader = new RecordingReader(memory);
        let next = 0;
        let behind = 0;
        for (const step of plan) {
          if (step > 0 && behind + step <= RECORDING_RING_FRAMES) {
            writeNumberedFrames(track, step);
            behind += step;
            continue;
          }
          // A new reader for each read: all state is in the shared memory.
          reader = new RecordingReader(memory);
          const count = reader.read(CHUNK, true);
          expect([reader.position, count]).toEqual([next, behind]);
          for (let i = 0; i < count; i += 97) expect(CHUNK[i * 2 + 1]).toBe((next + i) & 0x7fff);
          reader.release(count);
          next += count;
          behind = 0;
        }
        expect(reader.incomplete).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it('aligns the tail of the caller with the agent', () => {
    const memory = createRecordingMemory();
    const track = new RecordingTrack(memory);
    writeNumberedFrames(track, 4800);
    for (let done = 0; done < PEER_DELAY_FRAMES; done += 160) {
      const tail = Int16Array.from({ length: 160 }, (_, i) => 4800 - PEER_DELAY_FRAMES + done + i);
      track.writeTail(tail, done, 160);
    }
    const reader = new RecordingReader(memory);
    expect(reader.read(CHUNK, true)).toBe(4800);
    for (let frame = 0; frame < 4800; frame += 1) expect(CHUNK[frame * 2]).toBe(CHUNK[frame * 2 + 1]);
  });

  it('returns a frame again that was read but not released', () => {
    const memory = createRecordingMemory();
    writeNumberedFrames(new RecordingTrack(memory), 160);
    expect(new RecordingReader(memory).read(CHUNK, true)).toBe(160);
    const successor = new RecordingReader(memory);
    expect([successor.read(CHUNK, true), successor.position, successor.framesRead]).toEqual([160, 0, 0]);
  });

  it('skips overwritten frames and marks the recording incomplete', () => {
    const memory = createRecordingMemory();
    const track = new RecordingTrack(memory);
    for (let i = 0; i < 300; i++) writeNumberedFrames(track, 160);
    const reader = new RecordingReader(memory);
    const count = reader.read(CHUNK, true);
    expect(reader.incomplete).toBe(true);
    expect(reader.stopped).toBe(false);
    expect(reader.position + count).toBe(48_000);
    expect(reader.position).toBeGreaterThan(48_000 - RECORDING_RING_FRAMES);
    expect(CHUNK[1]).toBe(reader.position & 0x7fff);
  });

  it('loses nothing when exactly full', () => {
    const memory = createRecordingMemory();
    writeNumberedFrames(new RecordingTrack(memory), RECORDING_RING_FRAMES);
    const reader = new RecordingReader(memory);
    expect(reader.read(CHUNK, true)).toBe(RECORDING_RING_FRAMES);
    expect(reader.incomplete).toBe(false);
  });

  it('returns only frames that have both samples, aligned, and the rest at the end', () => {
    const memory = createRecordingMemory();
    const track = new RecordingTrack(memory);
    const reader = new RecordingReader(memory);
    writeNumberedFrames(track, PEER_DELAY_FRAMES);
    expect(reader.read(CHUNK, false)).toBe(0);
    writeNumberedFrames(track, 320);
    expect(reader.read(CHUNK, false)).toBe(320);
    for (let i = 0; i < 320; i++) expect([CHUNK[i * 2], CHUNK[i * 2 + 1]]).toEqual([i, i]);
    reader.release(320);
    expect(reader.read(CHUNK, true)).toBe(PEER_DELAY_FRAMES);
    expect([reader.position, CHUNK[0], CHUNK[1]]).toEqual([320, 0, 320]);
  });

  it('writes the caller left and the agent right, from the given offsets', () => {
    const memory = createRecordingMemory();
    const track = new RecordingTrack(memory);
    track.write(Int16Array.of(0, 9, 9), 1, Int16Array.of(0, 0, 7, 8), 2, 2);
    for (let i = 0; i < 10; i++)
      track.write(
        Int16Array.from({ length: 160 }, () => 5),
        0,
        new Int16Array(160),
        0,
        160,
      );
    new RecordingReader(memory).read(CHUNK, true);
    expect(Array.from(CHUNK.subarray(0, 4))).toEqual([5, 7, 5, 8]);
  });

  describe('during a pause', () => {
    const PAUSED_FROM = 1_600;
    const PAUSED_UNTIL = 8_000;
    const LENGTH = 12_800;

    /** Numbered frames, as `renew` would leave them if a media worker exits at that frame. */
    function pausedRecording(renewAt: number) {
      const memory = createRecordingMemory();
      let track = new RecordingTrack(memory);
      for (let at = 0; at < LENGTH; at += 160) {
        if (at === PAUSED_FROM) pauseRecording(memory, true);
        if (at === PAUSED_UNTIL) pauseRecording(memory, false);
        if (at === renewAt) track = new RecordingTrack(memory);
        writeNumberedFrames(track, 160);
      }
      const reader = new RecordingReader(memory);
      expect(reader.read(CHUNK, false)).toBe(LENGTH - PEER_DELAY_FRAMES);
      expect(reader.incomplete).toBe(false);
      return (channel: number) =>
        Array.from({ length: LENGTH - PEER_DELAY_FRAMES }, (_, frame) => CHUNK[2 * frame + channel]);
    }

    const expected = Array.from({ length: LENGTH - PEER_DELAY_FRAMES }, (_, frame) =>
      frame >= PAUSED_FROM && frame < PAUSED_UNTIL ? 0 : frame,
    );

    it('both channels are silent to the frame, although the peer is delayed, and the time goes on', () => {
      const channel = pausedRecording(-1);
      expect(channel(0)).toEqual(expected);
      expect(channel(1)).toEqual(expected);
    });

    it('a new media worker stays silent', () => {
      const channel = pausedRecording(4_800);
      expect(channel(0)).toEqual(expected);
      expect(channel(1)).toEqual(expected);
    });
  });
});
