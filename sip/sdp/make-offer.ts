import type { MediaDescription } from 'sdp-transform';
import { type AudioCodec, CODEC_TRAITS } from '../rtp/codecs/audio-codec.ts';
import { codecOfEncoding, OFFERED_CODECS } from './codec-preference.ts';
import { audioLine, type LocalMedia, refusedLine, writeDescription } from './local-description.ts';
import { type MediaLine, readMediaLines } from './media-line.ts';
import { isSecureProfile, offeredProfile } from './rtp-profile.ts';

/** The payload type that most peers use for telephone-event themselves. */
const DTMF = { payloadType: 101, clockHz: 8_000 };

/**
 * Our offer (RFC 3264 §5): one audio line, sendrecv, with our codecs in order, telephone-event, and keys by our policy.
 * An offer within a call contains all of it again, even after a hold of the peer (RFC 3261 §14.2, RFC 6337 §5.3). It
 * keeps the places of the m= lines (RFC 3264 §8) and the payload type of each format (RFC 3264 §8.3.2).
 */
export function makeOffer(local: LocalMedia): string {
  const before = local.previous === null ? [] : (readMediaLines(local.previous) ?? []);
  const place = before.findIndex(({ port }) => port !== 0);
  const audio = ourLine(local, before[place] ?? null);
  if (place < 0) return writeDescription(local, [audio]);
  return writeDescription(
    local,
    before.map((line, index) => (index === place ? audio : refusedLine(line))),
  );
}

function ourLine({ codecs, port, srtp }: LocalMedia, before: MediaLine | null): MediaDescription {
  const speech = (codecs ?? OFFERED_CODECS).map((codec) => ({
    codec,
    payloadType: payloadTypeIn(before, codec) ?? CODEC_TRAITS[codec].payloadType,
  }));
  const isSecure = srtp?.policy === 'required' || (before !== null && isSecureProfile(before.protocol));
  const crypto = srtp === undefined || srtp.policy === 'off' ? [] : srtp.keys;
  const protocol = offeredProfile(isSecure, before?.protocol ?? null);
  // RTCP stays on the port of the previous answer.
  const rtcpMux = before?.rtcpMux === true;
  return audioLine({ port, protocol, speech, dtmf: dtmfIn(before) ?? DTMF, direction: 'sendrecv', crypto, rtcpMux });
}

function payloadTypeIn(before: MediaLine | null, codec: AudioCodec): number | null {
  const used = before?.formats.find((format) => {
    const encoding = before.encodings.get(format);
    return encoding !== undefined && codecOfEncoding(encoding) === codec;
  });
  return used === undefined ? null : Number(used);
}

function dtmfIn(before: MediaLine | null): typeof DTMF | null {
  const used = before?.formats.find((format) => before.encodings.get(format)?.name === 'telephone-event');
  if (used === undefined) return null;
  return { payloadType: Number(used), clockHz: before?.encodings.get(used)?.clockRateHz ?? DTMF.clockHz };
}
