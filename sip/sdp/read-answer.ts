import type { RtpParameters } from '../rtp/rtp-parameters.ts';
import { type PeerNetwork, readAudioStream } from './audio-stream.ts';
import { ANY_CODEC } from './codec-preference.ts';
import type { LocalSrtp } from './local-srtp.ts';
import { type MediaLine, readMediaLines } from './media-line.ts';
import { isSecureProfile } from './rtp-profile.ts';

export type AnswerResult =
  | { readonly ok: true; readonly session: RtpParameters }
  | { readonly ok: false; readonly reason: string };

/**
 * Evaluates a peer's answer to our offer (RFC 3264 §7). Ignores formats and keys that were not offered; the peer's order
 * decides. telephone-event may have another payload type, which we then send (RFC 3264 §6.1). Never throws.
 * @param offer made by `makeOffer`.
 */
export function readAnswer(offer: string, answer: string, peer: PeerNetwork): AnswerResult {
  const offeredLines = readMediaLines(offer) ?? [];
  const place = offeredLines.findIndex(({ port }) => port !== 0);
  const offered = offeredLines[place];
  const line = readMediaLines(answer)?.[place];
  if (offered === undefined || offered.address === null) return { ok: false, reason: 'malformed offer' };
  if (line === undefined) return { ok: false, reason: 'malformed SDP' };
  const ours = offered.formats.find((format) => isEvents(offered, format));
  const formats = line.formats.filter(
    (format) => offered.formats.includes(format) || (ours !== undefined && isEvents(line, format)),
  );
  // A peer need not repeat the rtpmap of an offered payload type.
  const encodings = new Map([...offered.encodings, ...line.encodings]);
  const srtp = offeredSrtp(offered);
  const crypto = line.crypto.filter(({ tag, suite }) =>
    srtp.keys.some((key) => key.tag === tag && key.suite === suite),
  );
  const terms = { codecs: ANY_CODEC, srtp };
  const stream = readAudioStream({ ...line, formats, encodings, crypto }, offered.address, peer, terms);
  if (stream === null) return { ok: false, reason: 'no offered audio with a usable address' };
  const { session } = stream;
  const { dtmfPayloadType } = session;
  const differs = dtmfPayloadType !== null && ours !== undefined && dtmfPayloadType !== Number(ours);
  return { ok: true, session: differs ? { ...session, dtmfReceivePayloadType: Number(ours) } : session };
}

function isEvents({ encodings }: MediaLine, format: string): boolean {
  return encodings.get(format)?.name === 'telephone-event';
}

/** The policy and keys of our offer. */
function offeredSrtp({ protocol, crypto }: MediaLine): LocalSrtp {
  if (crypto.length === 0) return { policy: 'off', keys: [] };
  return { policy: isSecureProfile(protocol) ? 'required' : 'optional', keys: crypto };
}
