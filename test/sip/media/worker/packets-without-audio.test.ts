import { describe, expect, it } from 'vitest';
import { SILENT_SOURCE_MS } from '../../../../sip/media/detection/audio-event-detector.ts';
import { PACKET_INTERVAL_MS } from '../../../../sip/media/send/pacer.ts';
import { COMFORT_NOISE_PAYLOAD_TYPE } from '../../../../sip/rtp/jitter-buffer/comfort-noise.ts';
import { encodeRtpHeader } from '../../../../sip/rtp/packet/rtp-packet.ts';
import { PARAMETERS, PORT } from './simulated-session.ts';
import { HALF, speakingCall } from './speaking-call.ts';

const SILENT_TICKS = SILENT_SOURCE_MS / PACKET_INTERVAL_MS;
/** The level of the noise, in dB below full scale. */
const NOISE = Uint8Array.of(70);
/** The digit 5, still pressed (RFC 4733 §2.3). */
const DIGIT = Uint8Array.of(5, 10, 0, 160);

describe.each([
  { name: 'comfort noise', payloadType: COMFORT_NOISE_PAYLOAD_TYPE, payload: NOISE },
  { name: 'telephone events', payloadType: PARAMETERS.dtmfPayloadType, payload: DIGIT },
  { name: 'empty packets', payloadType: PARAMETERS.payloadType, payload: new Uint8Array(0) },
])('a user whose phone sends $name after their speech', ({ payloadType, payload }) => {
  it.each([1, 5, 10])(
    'has stopped speaking after `SILENT_SOURCE_MS`, with a packet every %i ticks',
    async (interval) => {
      const { receive, tick, types } = await speakingCall();
      const sendFor = (ticks: number) => {
        for (let at = 0; at < ticks; at++) {
          if (at % interval === 0) {
            const packet = new Uint8Array(12 + payload.length);
            packet.set(payload, 12);
            const sequence = HALF + at / interval;
            encodeRtpHeader(packet, payloadType, false, sequence, (HALF + at) * 160, 77);
            receive(PORT, packet);
          }
          tick(1);
        }
      };
      // The last audio arrived one tick before the first of these packets.
      sendFor(SILENT_TICKS - 1);
      expect(types()).toEqual(['speech_started']);
      tick(1);
      expect(types()).toEqual(['speech_started', 'speech_stopped']);
    },
  );
});
