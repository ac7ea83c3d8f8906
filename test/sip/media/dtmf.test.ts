import { describe, expect, test } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeMulaw } from '../../../base/audio/g711.ts';
import { G722Decoder } from '../../../sip/rtp/codecs/g722/g722.ts';
import { HalfRate } from '../../../sip/rtp/codecs/half-rate.ts';
import { DtmfDetector } from '../../../sip/rtp/dtmf/dtmf-detector.ts';
import type { RtpPeer } from '../../rtp-peer/rtp-peer.ts';
import { mediaHarness, openLeg } from './media-harness.ts';

const { startMediaService, peer } = mediaHarness(29_000);

/** The tones of key 5, in the codes of mu-law, and as much silence behind it. */
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

async function say(from: RtpPeer, to: number, codes: Uint8Array): Promise<void> {
  for (let at = 0; at < codes.length; at += 160) await from.send(to, codes.subarray(at, at + 160));
}

async function pressEvent(from: RtpPeer, to: number, digit: number): Promise<void> {
  for (const end of [0x0a, 0x8a, 0x8a, 0x8a]) await from.send(to, Uint8Array.of(digit, end, 3, 0x20), 101);
}

async function call(inbandDtmf: boolean) {
  const mediaService = startMediaService();
  const [caller, opened] = await Promise.all([peer(), openLeg(mediaService)]);
  opened.leg.configure(caller.session(inbandDtmf ? { inbandDtmf } : {}));
  const keys = () => opened.events.filter(({ type }) => type === 'dtmf');
  return { mediaService, caller, keys, ...opened };
}

describe('a key', () => {
  test('in the audio is told where the trunk wants it to be looked for, and nowhere else', async () => {
    const [listening, deaf] = await Promise.all([call(true), call(false)]);
    for (const { caller, leg } of [listening, deaf]) await say(caller, leg.port, toneOfFive(100));
    expect(await listening.event('dtmf')).toMatchObject({ digit: '5' });
    await pressEvent(deaf.caller, deaf.leg.port, 4);
    expect(await deaf.event('dtmf')).toMatchObject({ digit: '4' });
    expect([listening.keys().length, deaf.keys().length]).toEqual([1, 1]);
  });

  test('that comes as a tone, as an event and by signalling is told once, and so is the next', async () => {
    const { caller, leg, event, keys } = await call(true);
    for (let press = 1; press <= 2; press++) {
      await say(caller, leg.port, toneOfFive(100));
      await pressEvent(caller, leg.port, 5);
      caller.timestamp += 16_000;
      leg.receiveInfoDtmf('5', 100);
      await caller.more(5);
    }
    await pressEvent(caller, leg.port, 9);
    await caller.more(5);
    expect(await event('dtmf')).toMatchObject({ digit: '5' });
    expect(keys().map((one) => one.type === 'dtmf' && one.digit)).toEqual(['5', '5', '9']);
  });

  test('that signalling brings is told, and goes across a bridge as an event', async () => {
    const { mediaService, caller, leg, event } = await call(false);
    const desk = await peer();
    const far = await openLeg(mediaService, { beside: leg });
    far.leg.configure(desk.session());
    far.leg.setPlaybackSource(leg);
    await Promise.all([caller.more(1), desk.more(1)]);
    leg.receiveInfoDtmf('7', 120);
    expect(await event('dtmf')).toMatchObject({ digit: '7', durationMs: 120 });
    const isKey = ({ payloadType, payload }: { payloadType: number; payload: Uint8Array }) =>
      payloadType === 101 && payload[0] === 7;
    await desk.until(() => desk.packets.filter(isKey).length === 7);
  });
});

describe('keys of ours', () => {
  const SPOKEN = [
    { codec: 'pcmu', payloadType: 0 },
    { codec: 'pcma', payloadType: 8, packetMs: 60 },
    { codec: 'g722', payloadType: 9 },
  ] as const;

  test.each(SPOKEN)('are tones for a peer that takes no events: $codec', async (wire) => {
    const mediaService = startMediaService();
    const caller = await peer();
    const { leg } = await openLeg(mediaService, { codec: wire.codec });
    leg.configure(caller.session({ ...wire, dtmfPayloadType: null }));
    const heard: string[] = [];
    const detector = new DtmfDetector((digit) => heard.push(digit));
    const decode = decoderOf(wire.codec);
    let read = 0;
    leg.audio.sendDtmf('5#,5');
    await caller.until(() => {
      for (const { payload } of caller.packets.slice(read)) {
        const samples = decode(payload);
        detector.write(samples, samples.length);
      }
      read = caller.packets.length;
      return heard.length === 3;
    });
    expect(heard).toEqual(['5', '#', '5']);
  });
});

/** To 8 kHz. */
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
