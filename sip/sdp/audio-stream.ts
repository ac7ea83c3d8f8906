import { isIPv4 } from 'node:net';
import { AddressSet } from '../../base/network/address-set.ts';
import type { AudioCodec } from '../rtp/codecs/audio-codec.ts';
import { CODEC_TRAITS } from '../rtp/codecs/audio-codec.ts';
import { readOpusParameters } from '../rtp/codecs/opus-parameters.ts';
import type { RtpParameters } from '../rtp/rtp-parameters.ts';
import { type CodecPreference, codecOfEncoding } from './codec-preference.ts';
import type { CryptoAttribute } from './crypto-attribute.ts';
import type { LocalSrtp } from './local-srtp.ts';
import type { Direction, MediaLine } from './media-line.ts';
import { packetMsOf } from './packet-length.ts';
import { PRIVATE_ADDRESSES } from './private-addresses.ts';
import { isPlainProfile, isSecureProfile } from './rtp-profile.ts';

/** The network of the peer, as seen by its SIP packets. */
export interface PeerNetwork {
  /** The source of the peer's SIP packets; null if unknown. */
  readonly sourceAddress: string | null;
  /** The trunk is behind NAT: the addresses in its SDP are not trusted. */
  readonly nat: boolean;
}

/** Multicast and broadcast addresses, which are never valid for media. */
const NEVER_SENT_TO = new AddressSet(['224.0.0.0/4', '255.255.255.255', 'ff00::/8']);

/** Our direction for the peer's (RFC 3264 §6.1). */
const MIRRORED = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
} as const satisfies Record<Direction, Direction>;

/** The media that we accept. */
export interface AudioTerms {
  readonly codecs: CodecPreference;
  /** Absent: no encryption. */
  readonly srtp?: LocalSrtp | undefined;
}

export interface AudioStream {
  readonly session: RtpParameters;
  /** Our key, with the tag of the peer's chosen key; null for plain RTP. */
  readonly crypto: CryptoAttribute | null;
}

/**
 * The stream of a peer's m= line, with our preferred codec among its formats.
 * @returns null if the line is unusable: another medium or profile, refused, no codec, no usable address, or not
 * encrypted as our terms require.
 */
export function readAudioStream(
  line: MediaLine,
  localAddress: string,
  peer: PeerNetwork,
  terms: AudioTerms,
): AudioStream | null {
  const { type, protocol, port, address } = line;
  if (type !== 'audio' || port === 0 || address === null) return null;
  if (isIPv4(address) !== isIPv4(localAddress) || NEVER_SENT_TO.has(address)) return null;
  const keys = agreeOnKeys(line, terms.srtp);
  if (keys === null && (!isPlainProfile(protocol) || terms.srtp?.policy === 'required')) return null;
  const speech = chooseSpeech(line, terms.codecs);
  if (speech === null) return null;
  const { codec, format } = speech;
  const { clockHz } = CODEC_TRAITS[codec];
  // RFC 4733 §2.1: events use the clock rate of the audio. Some peers support only 8 kHz.
  const isDtmfAt = (hz: number) => (format: string) => isEncoding(line, format, 'telephone-event', hz);
  const dtmf = line.formats.find(isDtmfAt(clockHz)) ?? line.formats.find(isDtmfAt(8_000));
  const dtmfClockHz = dtmf === undefined ? 8_000 : (line.encodings.get(dtmf)?.clockRateHz ?? 8_000);
  const packetMs = packetMsOf(line, codec);
  const session: RtpParameters = {
    codec,
    payloadType: Number(format),
    dtmfPayloadType: dtmf === undefined ? null : Number(dtmf),
    ...(dtmfClockHz !== 8_000 && { dtmfClockHz }),
    ...(packetMs !== 20 && { packetMs }),
    ...(codec === 'opus' && { opus: readOpusParameters(line.parameters.get(format) ?? '') }),
    ...(line.rtcpMux && { rtcpMux: true }),
    ...(keys !== null && { srtp: { suite: keys.ours.suite, localKey: keys.ours.key, remoteKey: keys.theirs.key } }),
    remoteAddress: address,
    remotePort: port,
    allowedAddresses: allowedAddresses(address, peer),
    direction: MIRRORED[isOnHoldByAddress(address) ? withoutReceiving(line.direction) : line.direction],
  };
  return { session, crypto: keys?.ours ?? null };
}

/** The peer's first key with a supported suite, and our key for it (RFC 4568 §5.1.2); null for plain RTP. */
function agreeOnKeys(line: MediaLine, srtp: LocalSrtp | undefined) {
  if (srtp === undefined || srtp.policy === 'off') return null;
  if (!isPlainProfile(line.protocol) && !isSecureProfile(line.protocol)) return null;
  for (const theirs of line.crypto) {
    const own = srtp.keys.find(({ suite }) => suite === theirs.suite);
    if (own !== undefined) return { theirs, ours: { ...own, tag: theirs.tag } };
  }
  return null;
}

function chooseSpeech(line: MediaLine, codecs: CodecPreference): { codec: AudioCodec; format: string } | null {
  for (const group of codecs) {
    for (const format of line.formats) {
      const codec = codecOf(line, format);
      if (codec !== null && group.includes(codec)) return { codec, format };
    }
  }
  return null;
}

function codecOf(line: MediaLine, format: string): AudioCodec | null {
  const encoding = line.encodings.get(format);
  return encoding === undefined || !isPayloadType(format) ? null : codecOfEncoding(encoding);
}

function isEncoding(line: MediaLine, format: string, name: string, clockHz: number): boolean {
  const encoding = line.encodings.get(format);
  return (
    isPayloadType(format) && encoding?.name === name && encoding.clockRateHz === clockHz && encoding.channels === 1
  );
}

function isPayloadType(format: string): boolean {
  return /^\d{1,3}$/.test(format) && Number(format) <= 127;
}

/** Hold as in RFC 2543: no media may be sent, regardless of the direction attribute (RFC 3264 §8.4). */
function isOnHoldByAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

function withoutReceiving(direction: Direction): Direction {
  return direction === 'sendrecv' || direction === 'sendonly' ? 'sendonly' : 'inactive';
}

function allowedAddresses(address: string, { sourceAddress, nat }: PeerNetwork): string[] {
  if (sourceAddress === null || sourceAddress === address) return [];
  return nat || PRIVATE_ADDRESSES.has(address) || isOnHoldByAddress(address) ? [sourceAddress] : [];
}
