import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { type MediaDescription, parse } from 'sdp-transform';
import { withoutMapping } from '../../base/network/ip-address.ts';
import { CODEC_TRAITS } from '../rtp/codecs/audio-codec.ts';
import { type CryptoAttribute, readCryptoAttribute } from './crypto-attribute.ts';

/** One m= line of a session description (RFC 8866), as offer and answer need it. */
export interface MediaLine {
  readonly type: string;
  /** 0: refused or removed (RFC 3264 §6, §8.2). */
  readonly port: number;
  readonly protocol: string;
  /** As listed, in order of preference. */
  readonly formats: readonly string[];
  /** Encoding by payload type, from rtpmap and from the static assignments of RFC 3551 §6. */
  readonly encodings: ReadonlyMap<string, Encoding>;
  /** An IP address, normalised (RFC 5952); null without one, or for a name. */
  readonly address: string | null;
  readonly direction: Direction;
  /** `fmtp` by payload type, unparsed. */
  readonly parameters: ReadonlyMap<string, string>;
  /** `ptime` and `maxptime` (RFC 8866 §6.4), in ms; null if absent or not a number. */
  readonly packetMs: number | null;
  readonly packetMsMax: number | null;
  /** RTCP may use the RTP port (RFC 5761 §5.1.1). */
  readonly rtcpMux: boolean;
  /** Usable SDES keys (RFC 4568), as listed. */
  readonly crypto: readonly CryptoAttribute[];
}

export interface Encoding {
  /** Lower case. */
  readonly name: string;
  readonly clockRateHz: number;
  readonly channels: number;
}

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** Far more than any description of a call holds; a longer text is malformed. */
const LENGTH_MAX = 16_384;
const MEDIA_LINES_MAX = 16;

// sdp-transform matches dozens of patterns per line, so it gets only the lines that are used here.
const USED_LINE =
  /^(?:[vosctm]=|a=(?:rtpmap:|fmtp:|ptime:|maxptime:|crypto:\d+ \S+ \S+(?: \S+)?$|rtcp-mux$|sendrecv$|sendonly$|recvonly$|inactive$))/;

const STATIC_ENCODINGS: readonly (readonly [string, Encoding])[] = (['pcmu', 'pcma', 'g722'] as const).map((name) => {
  const { payloadType, clockHz, channels } = CODEC_TRAITS[name];
  return [`${payloadType}`, { name, clockRateHz: clockHz, channels }];
});

/** @returns the m= lines in order; null if the text is not a session description or one of them cannot be parsed. */
export function readMediaLines(text: string): MediaLine[] | null {
  if (text.length > LENGTH_MAX) return null;
  const lines = text.split(/\r\n|\r|\n/).filter((line) => USED_LINE.test(line));
  const session = parse(lines.join('\r\n'));
  if (session.version !== 0 || session.media.length === 0 || session.media.length > MEDIA_LINES_MAX) return null;
  const media: MediaLine[] = [];
  for (const description of session.media) {
    const line = readMediaLine(description, session.connection?.ip, session.direction);
    if (line === null) return null;
    media.push(line);
  }
  return media;
}

/** The parser's types describe well-formed lines; malformed ones lack fields. */
function readMediaLine(
  media: Partial<MediaDescription>,
  sessionAddress: string | undefined,
  sessionDirection: Direction | undefined,
): MediaLine | null {
  const { type, port, protocol, payloads } = media;
  if (!type || !protocol || payloads === undefined || !isPort(port)) return null;
  const encodings = new Map(STATIC_ENCODINGS);
  for (const { payload, codec, rate, encoding } of media.rtp ?? []) {
    const name = String(codec).toLowerCase();
    encodings.set(String(payload), { name, clockRateHz: Number(rate), channels: Number(encoding ?? 1) });
  }
  const address = String(media.connection?.ip ?? sessionAddress ?? '');
  return {
    type,
    port,
    protocol,
    formats: String(payloads).split(' ').filter(Boolean),
    encodings,
    address: addressOf(address),
    direction: media.direction ?? sessionDirection ?? 'sendrecv',
    parameters: new Map(media.fmtp?.map(({ payload, config }) => [String(payload), String(config)])),
    packetMs: positive(media.ptime),
    packetMsMax: positive(media.maxptime),
    rtcpMux: media.rtcpMux !== undefined,
    crypto: (media.crypto ?? []).flatMap((attribute) => readCryptoAttribute(attribute) ?? []),
  };
}

/** Normalised, since the sources of packets are compared with it. */
function addressOf(text: string): string | null {
  if (isIPv4(text)) return text;
  return isIPv6(text) ? withoutMapping(new SocketAddress({ address: text, family: 'ipv6' }).address) : null;
}

function positive(value: unknown): number | null {
  const number = Number(value);
  return number > 0 && number < Number.POSITIVE_INFINITY ? number : null;
}

function isPort(value: number | undefined): value is number {
  return typeof value === 'number' && value >= 0 && value <= 65_535;
}
