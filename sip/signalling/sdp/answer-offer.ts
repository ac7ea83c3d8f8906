import type { RtpSession } from '../../rtp/rtp-session.ts';
import { type PeerNetwork, readAudioStream } from './audio-stream.ts';
import { readMediaLines } from './description.ts';
import { audioLine, type LocalMedia, refusedLine, writeDescription } from './local-description.ts';

export type OfferAnswer =
  | { readonly ok: true; readonly answer: string; readonly session: RtpSession }
  | { readonly ok: false; readonly status: 488; readonly reason: string };

/**
 * Answers an offer (RFC 3264 §6), at the start of a call or within it: the first audio line with a codec of ours is
 * taken, with the offerer's payload types and its first such codec alone; every other line is refused in its place.
 * Never throws.
 */
export function answerOffer(offer: string, local: LocalMedia, peer: PeerNetwork): OfferAnswer {
  const lines = readMediaLines(offer);
  if (lines === null) return refuse('malformed SDP');
  for (const [index, line] of lines.entries()) {
    const session = readAudioStream(line, local.address, peer);
    if (session === null) continue;
    const codec = session.codec === 'pcmu' ? 'PCMU' : 'PCMA';
    const speech = [[session.payloadType, codec]] as const;
    const taken = audioLine(local.port, speech, session.dtmfPayloadType, session.direction);
    const media = lines.map((other, place) => (place === index ? taken : refusedLine(other)));
    return { ok: true, answer: writeDescription(local, media), session };
  }
  return refuse('no audio with G.711 that can be reached');
}

function refuse(reason: string): OfferAnswer {
  return { ok: false, status: 488, reason };
}
