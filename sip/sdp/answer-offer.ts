import type { MediaDescription } from 'sdp-transform';
import type { RtpParameters } from '../rtp/rtp-parameters.ts';
import { type AudioStream, type AudioTerms, type PeerNetwork, readAudioStream } from './audio-stream.ts';
import { ANSWERED_CODECS, type CodecPreference, strictPreference } from './codec-preference.ts';
import { audioLine, type LocalMedia, refusedLine, writeDescription } from './local-description.ts';
import { type MediaLine, readMediaLines } from './media-line.ts';

/** Longest part of an offer in the reason of its refusal, in characters. */
const OFFERED_LENGTH_MAX = 300;

export type OfferAnswer =
  | { readonly ok: true; readonly answer: string; readonly session: RtpParameters }
  | { readonly ok: false; readonly status: 488; readonly reason: string };

/**
 * Answers an offer (RFC 3264 §6), at the start of a call or within it. Accepts the first audio line that meets our
 * terms, an encrypted one before a plain one, with the offerer's payload types and our one preferred codec. Every other
 * line is refused in its place. Never throws.
 */
export function answerOffer(offer: string, local: LocalMedia, peer: PeerNetwork): OfferAnswer {
  const lines = readMediaLines(offer);
  if (lines === null) return refuse('malformed SDP');
  const codecs = local.codecs === undefined ? ANSWERED_CODECS : strictPreference(local.codecs);
  const terms: AudioTerms = { codecs, srtp: local.srtp };
  const streams = lines.map((line) => readAudioStream(line, local.address, peer, terms));
  const encrypted = streams.findIndex((stream) => stream !== null && stream.crypto !== null);
  const index = encrypted === -1 ? streams.findIndex((stream) => stream !== null) : encrypted;
  const stream = streams[index];
  const line = lines[index];
  if (stream === undefined || stream === null || line === undefined) return refuse(unacceptable(local, codecs, lines));
  const audio = answeredLine(line, local, stream);
  const media = lines.map((other, place) => (place === index ? audio : refusedLine(other)));
  return { ok: true, answer: writeDescription(local, media), session: stream.session };
}

function answeredLine(
  { protocol }: MediaLine,
  { port }: LocalMedia,
  { session, crypto }: AudioStream,
): MediaDescription {
  const { codec, payloadType, dtmfPayloadType, dtmfClockHz, direction } = session;
  const dtmf = dtmfPayloadType === null ? null : { payloadType: dtmfPayloadType, clockHz: dtmfClockHz ?? 8_000 };
  const keys = crypto === null ? [] : [crypto];
  const rtcpMux = session.rtcpMux === true;
  return audioLine({ port, protocol, speech: [{ payloadType, codec }], dtmf, direction, crypto: keys, rtcpMux });
}

/** Both sides' terms, for the log of a refusal. */
function unacceptable({ address, srtp }: LocalMedia, codecs: CodecPreference, lines: readonly MediaLine[]): string {
  const offered = lines.map(({ type, protocol, address, formats, encodings }) => {
    const names = formats.map((format) => encodings.get(format)?.name ?? format);
    return `${[type, protocol, ...names].join(' ')} at ${address ?? 'no address'}`;
  });
  const ours = `audio ${codecs.flat().join(' ')} at ${address}, srtp ${srtp?.policy ?? 'off'}`;
  return `no acceptable audio: offered ${offered.join(', ').slice(0, OFFERED_LENGTH_MAX)}; here ${ours}`;
}

function refuse(reason: string): OfferAnswer {
  return { ok: false, status: 488, reason };
}
