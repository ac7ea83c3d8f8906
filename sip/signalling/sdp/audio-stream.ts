import { BlockList, isIPv4 } from 'node:net';
import type { RtpSession } from '../../rtp/rtp-session.ts';
import type { Direction, MediaLine } from './description.ts';

/** How the peer is reached, as its SIP packets showed. */
export interface PeerNetwork {
  /** Where its SIP came from; null where that is not known. */
  readonly sourceAddress: string | null;
  /** The trunk's word that addresses in SDP are not to be trusted. */
  readonly nat: boolean;
}

/** Addresses that name no host on the way to the peer: RFC 1918, 6598, 3927, 4193, 4291, loopback. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('100.64.0.0', 10);
PRIVATE.addSubnet('169.254.0.0', 16);
PRIVATE.addSubnet('127.0.0.0', 8);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');
PRIVATE.addAddress('::1', 'ipv6');

/** Addresses that no packet may be sent to: multicast and broadcast. */
const NEVER_SENT_TO = new BlockList();
NEVER_SENT_TO.addSubnet('224.0.0.0', 4);
NEVER_SENT_TO.addAddress('255.255.255.255');
NEVER_SENT_TO.addSubnet('ff00::', 8, 'ipv6');

/** What the other side's direction leaves to ours (RFC 3264 §6.1). */
const MIRRORED = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
} as const satisfies Record<Direction, Direction>;

/**
 * The stream that a peer's m= line makes with us, taking the first of its formats that is ours, G.711 of either law.
 * @returns null where the line is no audio of ours: another medium or profile, refused, no codec, no usable address.
 */
export function readAudioStream(line: MediaLine, localAddress: string, peer: PeerNetwork): RtpSession | null {
  const { type, protocol, port, address } = line;
  if (type !== 'audio' || protocol !== 'RTP/AVP' || port === 0 || address === null) return null;
  if (isIPv4(address) !== isIPv4(localAddress) || isIn(NEVER_SENT_TO, address)) return null;
  const speech = line.formats.find((format) => codecOf(line, format) !== null);
  const codec = speech === undefined ? null : codecOf(line, speech);
  if (codec === null) return null;
  const dtmf = line.formats.find((format) => isEncoding(line, format, 'telephone-event'));
  return {
    codec,
    payloadType: Number(speech),
    dtmfPayloadType: dtmf === undefined ? null : Number(dtmf),
    remoteAddress: address,
    remotePort: port,
    allowedAddresses: allowedAddresses(address, peer),
    direction: MIRRORED[isHeldByAddress(address) ? withoutReceiving(line.direction) : line.direction],
  };
}

function codecOf(line: MediaLine, format: string): RtpSession['codec'] | null {
  if (isEncoding(line, format, 'pcmu')) return 'pcmu';
  return isEncoding(line, format, 'pcma') ? 'pcma' : null;
}

function isEncoding(line: MediaLine, format: string, name: string): boolean {
  const encoding = line.encodings.get(format);
  const isPayloadType = /^\d{1,3}$/.test(format) && Number(format) <= 127;
  return isPayloadType && encoding?.name === name && encoding.clockRateHz === 8_000 && encoding.channels === 1;
}

/** The hold of RFC 2543: nothing may be sent to this address, whatever the direction says (RFC 3264 §8.4). */
function isHeldByAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

function withoutReceiving(direction: Direction): Direction {
  return direction === 'sendrecv' || direction === 'sendonly' ? 'sendonly' : 'inactive';
}

function allowedAddresses(address: string, { sourceAddress, nat }: PeerNetwork): string[] {
  if (sourceAddress === null || sourceAddress === address) return [];
  return nat || isIn(PRIVATE, address) || isHeldByAddress(address) ? [sourceAddress] : [];
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
