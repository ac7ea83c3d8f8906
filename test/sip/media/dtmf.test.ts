import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeMulaw } from '../../../base/audio/g711.ts';
import { G722Decoder } from '../../../sip/rtp/codecs/g722/g722.ts';
import { HalfRate } from '../../../sip/rtp/codecs/half-rate.ts';
import { DtmfDetector } from '../../../sip/rtp/dtmf/dtmf-detector.ts';
import type { RtpPeer } from '../../rtp-peer/rtp-peer.ts';
import { mediaHarness, openSession, workerCaughtUp } from './media-harness.ts';

const { startMediaService, peer } = mediaHarness(11_500);

/** The tone of digit 5 in mu-law, followed by silence of the same duration. */
function toneOfFive(durationMs: number): Uint8Array {
  const samples = Int16Array.from({ length: durationMs * 16 }, (_, i) =>
    i >= durationMs * 8
      ? 0
      : Math.round(6_000 * (Math.sin((2 * Math.PI * 770 * i) / 8000) + Math.sin((2 * Math.PI * 1336 * i) / 8000))),
  );
  const codes = new Uint8Array(samples.length);
  encodeMulaw(samples, 0, samples.length, codes);
  return codes;
}

async function sendAudio(from: RtpPeer, to: number, codes: Uint8Array): Promise<void> {
  for (let at = 0; at < codes.length; at += 160) await from.send(to, codes.subarray(at, at + 160));
}

async function sendDigitEvent(from: RtpPeer, to: number, digit: number): Promise<void> {
  for (const end of [0x0a, 0x8a, 0x8a, 0x8a]) await from.send(to, Uint8Array.of(digit, end, 3, 0x20), 101);
}

async function call(inbandDtmf: boolean) {
  const mediaService = startMediaService();
  const [caller, opened] = await Promise.all([peer(), openSession(mediaService)]);
  opened.session.configure(caller.session(inbandDtmf ? { inbandDtmf } : {}));
  await workerCaughtUp(mediaService);
  const digits = () => opened.events.filter(({ type }) => type === 'dtmf');
  return { mediaService, caller, digits, ...opened };
}

describe('DTMF digit of the peer', () => {
  it('is detected in the audio only if the trunk enables it', async () => {
    const [inband, eventsOnly] = await Promise.all([call(true), call(false)]);
    for (const { caller, session } of [inband, eventsOnly]) await sendAudio(caller, session.port, toneOfFive(100));
    expect(await inband.event('dtmf')).toMatchObject({ digit: '5' });
    await sendDigitEvent(eventsOnly.caller, eventsOnly.session.port, 4);
    expect(await eventsOnly.event('dtmf')).toMatchObject({ digit: '4' });
    expect([inband.digits().length, eventsOnly.digits().length]).toEqual([1, 1]);
  });

  it('is emitted once if it arrives as a tone, as an event and by SIP INFO, and so is the next', async () => {
    const { caller, session, event, digits } = await call(true);
    for (let press = 1; press <= 2; press++) {
      await sendAudio(caller, session.port, toneOfFive(100));
      await sendDigitEvent(caller, session.port, 5);
      caller.timestamp += 16_000;
      session.receiveInfoDtmf('5', 100);
      await caller.more(5);
    }
    await sendDigitEvent(caller, session.port, 9);
    await caller.more(5);
    expect(await event('dtmf')).toMatchObject({ digit: '5' });
    expect(digits().map((event) => event.type === 'dtmf' && event.digit)).toEqual(['5', '5', '9']);
  });

  it('from SIP INFO is emitted, and relayed over a bridge as an RTP event', async () => {
    const { mediaService, caller, session, event } = await call(false);
    const desk = await peer();
    const far = await openSession(mediaService, { beside: session });
    far.session.configure(desk.session());
    far.session.setPlaybackSource(session);
    await Promise.all([caller.more(1), desk.more(1)]);
    session.receiveInfoDtmf('7', 120);
    expect(await event('dtmf')).toMatchObject({ digit: '7', durationMs: 120 });
    const isDigitSeven = ({ payloadType, payload }: { payloadType: number; payload: Uint8Array }) =>
      payloadType === 101 && payload[0] === 7;
    await desk.until(() => desk.packets.filter(isDigitSeven).length === 7);
  });
});

describe('DTMF digits to the peer', () => {
  const WIRES = [
    { codec: 'pcmu', payloadType: 0 },
    { codec: 'pcma', payloadType: 8, packetMs: 60 },
    { codec: 'g722', payloadType: 9 },
  ] as const;

  it.each(WIRES)('are sent as tones if the peer supports no events: $codec', async (wire) => {
    const mediaService = startMediaService();
    const caller = await peer();
    const { session } = await openSession(mediaService, { codec: wire.codec });
    session.configure(caller.session({ ...wire, dtmfPayloadType: null }));
    const detected: string[] = [];
    const detector = new DtmfDetector((digit) => detected.push(digit));
    const decode = decoderOf(wire.codec);
    let read = 0;
    session.audio.sendDtmf('5#,5');
    await caller.until(() => {
      for (const { payload } of caller.packets.slice(read)) {
        const samples = decode(payload);
        detector.write(samples, samples.length);
      }
      read = caller.packets.length;
      return detected.length === 3;
    });
    expect(detected).toEqual(['5', '#', '5']);
  });
});

/** Decodes the payloads of one stream to samples at 8 kHz. */
function decoderOf(codec: 'pcmu' | 'pcma' | 'g722'): (payload: Uint8Array) => Int16Array {
  if (codec === 'g722') {
    const decoder = new G722Decoder();
    const half = new HalfRate();
    return (payload) => {
      const wide = new Int16Array(payload.length * 2);
      decoder.decode(payload, 0, payload.length, wide, 0);
      const narrow = new Int16Array(payload.length);
      return narrow.subarray(0, half.halve(wide, 0, wide.length, narrow));
    };
  }
  const decode = codec === 'pcma' ? decodeAlaw : decodeMulaw;
  return (payload) => {
    const samples = new Int16Array(payload.length);
    decode(payload, 0, payload.length, samples, 0);
    return samples;
  };
}
