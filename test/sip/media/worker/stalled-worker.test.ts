import { expect, it } from 'vitest';
import { SILENT_SOURCE_MS } from '../../../../sip/media/detection/audio-event-detector.ts';
import { PACKET_INTERVAL_MS } from '../../../../sip/media/send/pacer.ts';
import { speakingCall } from './speaking-call.ts';

const STALLED_TICKS = 2 * (SILENT_SOURCE_MS / PACKET_INTERVAL_MS);

it('a stall of the worker does not end the speech whose packets wait in the socket', async () => {
  const { stall, tick, types, speakOn } = await speakingCall();
  stall(STALLED_TICKS);
  tick(1);
  speakOn();
  expect(types()).toEqual(['speech_started']);
});

it('a peer that sends nothing after a stall of the worker has stopped speaking', async () => {
  const { stall, tick, types } = await speakingCall();
  stall(STALLED_TICKS);
  tick(STALLED_TICKS);
  expect(types()).toEqual(['speech_started', 'speech_stopped']);
});
