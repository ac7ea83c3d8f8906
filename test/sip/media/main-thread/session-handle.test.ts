import { expect, test, vi } from 'vitest';
import { RtpSessionHandle } from '../../../../sip/media/main-thread/rtp-session-handle.ts';
import { createSessionMemory, WANTS_ROOM } from '../../../../sip/media/worker-channel/session-memory.ts';
import { MULAW } from '../media-harness.ts';

test('room that a dead worker made and did not ring for is found by the next one', () => {
  const memory = createSessionMemory();
  const leg = new RtpSessionHandle(
    {
      callId: 'test',
      mediaTimeoutMs: 1000,
      key: { slot: 0, generation: 1 },
      memory,
      recording: null,
      post: () => undefined,
      onClose: () => undefined,
    },
    'pcmu',
  );
  const drained = vi.fn();
  leg.audio.onDrained(drained);
  const second = new Uint8Array(8000);
  while (leg.audio.play(0, 0, MULAW, second));
  // As a worker does: it plays, takes note of the room, and dies before the bell.
  while (memory.agentAudio.used > 0) memory.agentAudio.shift();
  Atomics.store(memory.control, WANTS_ROOM, 0);
  leg.workerExited();
  leg.restored();
  expect(drained).toHaveBeenCalledOnce();
  expect(leg.audio.play(0, 0, MULAW, second)).toBe(true);
});
