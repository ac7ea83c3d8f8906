import type { RtpSession } from '../../rtp/rtp-session.ts';
import { type PeerNetwork, readAudioStream } from './audio-stream.ts';
import { type MediaLine, readMediaLines } from './description.ts';

export type AnswerReading =
  | { readonly ok: true; readonly session: RtpSession }
  | { readonly ok: false; readonly reason: string };

/**
 * What a peer's answer makes of our offer (RFC 3264 §7). Formats that were not offered are passed over; telephone-event
 * may have another number in it, which is then the one that the peer wants to be sent (RFC 3264 §6.1). Never throws.
 * @param offer as `makeOffer` wrote it.
 */
export function readAnswer(offer: string, answer: string, peer: PeerNetwork): AnswerReading {
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
  // A peer need not repeat the mapping of a payload type that the offer made.
  const encodings = new Map([...offered.encodings, ...line.encodings]);
  const session = readAudioStream({ ...line, formats, encodings }, offered.address, peer);
  if (session === null) return { ok: false, reason: 'no audio with G.711 that can be reached' };
  const { dtmfPayloadType } = session;
  const differs = dtmfPayloadType !== null && ours !== undefined && dtmfPayloadType !== Number(ours);
  return { ok: true, session: differs ? { ...session, dtmfReceivePayloadType: Number(ours) } : session };
}

function isEvents({ encodings }: MediaLine, format: string): boolean {
  return encodings.get(format)?.name === 'telephone-event';
}
