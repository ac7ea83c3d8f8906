import { isIPv4 } from 'node:net';
import { type MediaDescription, parse, write } from 'sdp-transform';
import { type AudioCodec, CODEC_TRAITS } from '../rtp/codecs/audio-codec.ts';
import { type CryptoAttribute, writeCryptoAttribute } from './crypto-attribute.ts';
import type { LocalSrtp } from './local-srtp.ts';
import type { MediaLine } from './media-line.ts';

/** Our side of a call's media. */
export interface LocalMedia {
  /** IP address and even port where RTP is received. */
  readonly address: string;
  readonly port: number;
  /** The session id of the o= line: digits, constant for the whole call. */
  readonly sessionId: string;
  /** The description sent before in this call; null for the first. */
  readonly previous: string | null;
  /** The trunk's codecs, in its order. Absent: `ANSWERED_CODECS` in answers, `OFFERED_CODECS` in offers. */
  readonly codecs?: readonly AudioCodec[];
  /** Absent: no encryption. */
  readonly srtp?: LocalSrtp;
}

/** Our packets carry 20 ms. */
const PTIME_MS = 20;
/** DTMF digits 0–9, *, #, A–D (RFC 4733 §2.4.1). */
const DTMF_EVENTS = '0-15';
/** We decode 16 kHz mono, use FEC for lost packets, and need no packets in pauses (RFC 7587 §6.1). */
const OPUS_PARAMETERS = 'maxplaybackrate=16000;sprop-maxcapturerate=16000;useinbandfec=1;usedtx=0';

/**
 * The text of our description. The version in its o= line starts at 1 and rises by one if the rest differs from the
 * previous description (RFC 3264 §8).
 */
export function writeDescription(local: LocalMedia, media: readonly MediaDescription[]): string {
  const previousVersion = local.previous === null ? 0 : (parse(local.previous).origin?.sessionVersion ?? 0);
  const unchanged = writeVersion(local, media, previousVersion);
  return unchanged === local.previous ? unchanged : writeVersion(local, media, previousVersion + 1);
}

function writeVersion({ address, sessionId }: LocalMedia, media: readonly MediaDescription[], version: number): string {
  const ipVersion = isIPv4(address) ? 4 : 6;
  return write({
    version: 0,
    origin: { username: '-', sessionId, sessionVersion: version, netType: 'IN', ipVer: ipVersion, address },
    name: '-',
    connection: { version: ipVersion, ip: address },
    timing: { start: 0, stop: 0 },
    media: [...media],
  });
}

export interface AudioLine {
  readonly port: number;
  /** A profile of `rtp-profile.ts`. */
  readonly protocol: string;
  readonly speech: readonly { readonly payloadType: number; readonly codec: AudioCodec }[];
  /** telephone-event; null without it. */
  readonly dtmf: { readonly payloadType: number; readonly clockHz: number } | null;
  readonly direction: NonNullable<MediaDescription['direction']>;
  readonly crypto: readonly CryptoAttribute[];
  /** Only if the peer offered it; our offers use two ports. */
  readonly rtcpMux: boolean;
}

/** Our audio m= line. */
export function audioLine({ port, protocol, speech, dtmf, direction, crypto, rtcpMux }: AudioLine): MediaDescription {
  const rtp: MediaDescription['rtp'] = speech.map(({ payloadType, codec }) => {
    const { encodingName, clockHz, channels } = CODEC_TRAITS[codec];
    const rtpmap = { payload: payloadType, codec: encodingName, rate: clockHz };
    return channels === 1 ? rtpmap : { ...rtpmap, encoding: channels };
  });
  const fmtp = speech.flatMap(({ payloadType, codec }) =>
    codec === 'opus' ? [{ payload: payloadType, config: OPUS_PARAMETERS }] : [],
  );
  if (dtmf !== null) {
    rtp.push({ payload: dtmf.payloadType, codec: 'telephone-event', rate: dtmf.clockHz });
    fmtp.push({ payload: dtmf.payloadType, config: DTMF_EVENTS });
  }
  return {
    type: 'audio',
    port,
    protocol,
    payloads: rtp.map(({ payload }) => payload).join(' '),
    rtp,
    fmtp,
    ptime: PTIME_MS,
    direction,
    ...(rtcpMux && { rtcpMux: 'rtcp-mux' }),
    ...(crypto.length > 0 && { crypto: crypto.map(writeCryptoAttribute) }),
  };
}

/** A refused or removed m= line (RFC 3264 §6, §8.2). */
export function refusedLine({ type, protocol, formats }: MediaLine): MediaDescription {
  return { type, port: 0, protocol, payloads: formats.join(' '), rtp: [], fmtp: [] };
}
