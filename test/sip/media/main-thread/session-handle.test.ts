import { expect, it, vi } from 'vitest';
import { RtpSessionHandle } from '../../../../sip/media/main-thread/rtp-session-handle.ts';
import { createSessionMemory, WANTS_ROOM } from '../../../../sip/media/worker-channel/session-memory.ts';
import { MULAW } from '../media-harness.ts';

it('a restore reports space in the ring that the exited worker freed without a wake-up', () => {
  const memory = createSessionMemory();
  const session = new RtpSessionHandle(
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
  session.audio.onDrained(drained);
  const second = new Uint8Array(8000);
  while (session.audio.play(0, 0, MULAW, second));
  // Like a worker that plays the audio, resets the flag, and exits before the wake-up.
  while (memory.agentAudio.used > 0) memory.agentAudio.shift();
  Atomics.store(memory.control, WANTS_ROOM, 0);
  session.workerExited();
  session.restored();
  expect(drained).toHaveBeenCalledOnce();
  expect(session.audio.play(0, 0, MULAW, second)).toBe(true);
});

it('a restore asks the next worker to suppress noise if the call has it', () => {
  const posted: string[] = [];
  const session = new RtpSessionHandle(
    {
      callId: 'test',
      mediaTimeoutMs: 1000,
      key: { slot: 0, generation: 1 },
      memory: createSessionMemory(),
      recording: null,
      post: ({ type }) => posted.push(type),
      onClose: () => undefined,
    },
    'pcmu',
  );
  const restore = () => {
    posted.length = 0;
    session.workerExited();
    session.restored();
    return posted.filter((type) => type === 'suppress_noise');
  };
  expect(restore()).toEqual([]);
  session.suppressNoise(() => undefined);
  expect(restore()).toEqual(['suppress_noise']);
});

it.each([
  [['speech_started'], ['speech_started', 'speech_stopped', 'suspended', 'restored']],
  [
    ['speech_started', 'speech_stopped'],
    ['speech_started', 'speech_stopped', 'suspended', 'restored'],
  ],
  [[], ['suspended', 'restored']],
] as const)('a worker that exits after the events %j ends the speech that it had reported', (reported, expected) => {
  const session = new RtpSessionHandle(
    {
      callId: 'test',
      mediaTimeoutMs: 1000,
      key: { slot: 0, generation: 1 },
      memory: createSessionMemory(),
      recording: null,
      post: () => undefined,
      onClose: () => undefined,
    },
    'pcmu',
  );
  const events: string[] = [];
  session.audio.onEvent(({ type }) => events.push(type));
  for (const type of reported) session.audio.handleEvent({ type, audioMs: 0 });
  session.workerExited();
  session.restored();
  expect(events).toEqual(expected);
});
