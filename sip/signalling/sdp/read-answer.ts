import type { RtpSession } from '../../rtp/rtp-session.ts';
import { type PeerNetwork, readAudioStream } from './audio-stream.ts';
import { ANY_CODEC } from './codec-preference.ts';
import { type MediaLine, readMediaLines } from './description.ts';
import type { LocalSrtp } from './local-srtp.ts';

export type AnswerReading =
  | { readonly ok: true; readonly session: RtpSession }
  | { readonly ok: false; readonly reason: string };

/**
 * What a peer's answer makes of our offer (RFC 3264 §7). Formats and keys that were not offered are passed over; of what is
 * left the peer's order holds. Never throws.
 * @param offer as `makeOffer` wrote it.
 */
export function readAnswer(offer: string, answer: string, peer: PeerNetwork): AnswerReading {
  const offered = readMediaLines(offer)?.[0];
  const lines = readMediaLines(answer);
  const [line] = lines ?? [];
  if (offered === undefined || offered.address === null) return { ok: false, reason: 'malformed offer' };
  if (line === undefined) return { ok: false, reason: 'malformed SDP' };
  const formats = line.formats.filter((format) => offered.formats.includes(format));
  // A peer need not repeat the mapping of a payload type that the offer made.
  const encodings = new Map([...offered.encodings, ...line.encodings]);
  const srtp = offeredSrtp(offered);
  const crypto = line.crypto.filter(({ tag, suite }) =>
    srtp.keys.some((key) => key.tag === tag && key.suite === suite),
  );
  const terms = { codecs: ANY_CODEC, srtp };
  const stream = readAudioStream({ ...line, formats, encodings, crypto }, offered.address, peer, terms);
  if (stream === null) return { ok: false, reason: 'no audio as it was offered that can be reached' };
  return { ok: true, session: stream.session };
}

/** Our keys as the offer told them. */
function offeredSrtp({ protocol, crypto }: MediaLine): LocalSrtp {
  if (crypto.length === 0) return { policy: 'off', keys: [] };
  return { policy: protocol === 'RTP/SAVP' ? 'required' : 'optional', keys: crypto };
}
