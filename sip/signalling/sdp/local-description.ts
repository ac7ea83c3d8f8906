import { isIPv4 } from 'node:net';
import { type MediaDescription, parse, write } from 'sdp-transform';
import type { MediaLine } from './description.ts';

/** Our side of a call's media, as the peer is told. */
export interface LocalMedia {
  /** IP address and even port where RTP is awaited. */
  readonly address: string;
  readonly port: number;
  /** Of the o= line, the same for a whole call: digits. */
  readonly sessionId: string;
  /** The description sent before in this call; null for the first. */
  readonly previous: string | null;
}

/** Packets carry 20 ms: what the media plane sends. */
const PTIME_MS = 20;
/** DTMF digits 0–9, *, #, A–D (RFC 4733 §2.4.1). */
const DTMF_EVENTS = '0-15';

/**
 * The text of our description. The version in its o= line is 1 at first and goes up by one where the rest differs from
 * the previous description (RFC 3264 §8).
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

/** An m= line of ours with G.711 under these payload types and, where there is one, telephone-event. */
export function audioLine(
  port: number,
  speech: readonly (readonly [payloadType: number, codec: 'PCMU' | 'PCMA'])[],
  dtmfPayloadType: number | null,
  direction: NonNullable<MediaDescription['direction']>,
): MediaDescription {
  const encodings = speech.map(([payload, codec]) => ({ payload, codec: `${codec}` }));
  const dtmf = dtmfPayloadType === null ? [] : [{ payload: dtmfPayloadType, codec: 'telephone-event' }];
  const rtp = [...encodings, ...dtmf].map((encoding) => ({ ...encoding, rate: 8_000 }));
  return {
    type: 'audio',
    port,
    protocol: 'RTP/AVP',
    payloads: rtp.map(({ payload }) => payload).join(' '),
    rtp,
    fmtp: dtmf.map(({ payload }) => ({ payload, config: DTMF_EVENTS })),
    ptime: PTIME_MS,
    direction,
  };
}

/** An m= line that is refused, or was (RFC 3264 §6, §8.2). */
export function refusedLine({ type, protocol, formats }: MediaLine): MediaDescription {
  return { type, port: 0, protocol, payloads: formats.join(' '), rtp: [], fmtp: [] };
}
