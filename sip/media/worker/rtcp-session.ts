import type { Endpoint } from '../../capture/pcap.ts';
import {
  decodeRtcp,
  encodeRtcp,
  middleOfNtp,
  ntpOfWallMs,
  type ReportBlock,
  type RtcpPacket,
} from '../../rtp/rtcp/rtcp-packet.ts';
import type { MediaQualityRecorder } from '../quality/media-quality.ts';
import { NEVER, type RtpReceiver } from '../receive/rtp-receiver.ts';
import type { RtpSender } from '../send/rtp-sender.ts';
import type { UdpSocket } from '../udp/udp-sockets.ts';
import type { SrtpSession } from './srtp-session.ts';

/** The minimum interval of RFC 3550 §6.2. Each interval is between 0.5 and 1.5 of it, at random (§6.3.1). */
const REPORT_INTERVAL_MS = 5000;
const NTP_UNITS_PER_MS = 65.536;
/** Our sender reports that the peer may still refer to: half a minute of them. */
const KEPT_REPORTS = 8;
/** How often the jitter is sampled. */
const JITTER_INTERVAL_MS = 1000;

export interface RtcpOptions {
  readonly endpoint: UdpSocket;
  /** The RTP port, for a peer that multiplexes both. */
  readonly muxed: Pick<UdpSocket, 'send'>;
  readonly security: SrtpSession;
  readonly inbound: RtpReceiver;
  readonly outbound: RtpSender;
  readonly quality: MediaQualityRecorder;
  readonly wallMs: () => number;
  /** 32 random bits. */
  readonly random: () => number;
  /** Called with each packet of the peer, decrypted. */
  readonly onReceived: (packet: Uint8Array, from: Endpoint) => void;
  /** Called with each of our packets before encryption. `to` null: the RTP destination. */
  readonly onSent: (packet: Uint8Array, to: Endpoint | null) => void;
}

/** The reports of one call (RFC 3550 §6): ours about every five seconds, and the peer's. */
export class RtcpSession {
  readonly #options: RtcpOptions;
  readonly #cname: string;
  #nextMs: number;
  #nextJitterMs: number;
  #sentBefore = 0;
  #lastSenderReport = 0;
  #lastSenderReportMs = 0;
  #isMuxed = false;
  #remote: Endpoint | null = null;
  #sentReports: { readonly middle: number; readonly atMs: number }[] = [];

  constructor(options: RtcpOptions, nowMs: number) {
    this.#options = options;
    // A random name for this call, which reveals nothing about the host (RFC 7022 §4.2).
    this.#cname = options.random().toString(36) + options.random().toString(36);
    this.#nextMs = nowMs + this.#interval();
    this.#nextJitterMs = nowMs + JITTER_INTERVAL_MS;
  }

  /** Takes a datagram of the RTCP port. Only the address is checked: the port often differs from SDP. */
  receive(datagram: Uint8Array, address: string, port: number, nowMs: number): void {
    const { inbound, security } = this.#options;
    if (!inbound.latch.allowed.includes(address)) return;
    const plain = security.unprotectRtcp(datagram);
    const packets = plain === null ? null : decodeRtcp(plain);
    if (plain === null || packets === null) return;
    if (!this.#isMuxed) this.#aim(address, port);
    this.#options.onReceived(plain, { address, port });
    for (const packet of packets) {
      if (packet.type !== 'sender_report' && packet.type !== 'receiver_report') continue;
      for (const block of packet.reports) this.#receiveReportBlock(block, nowMs);
      if (packet.type !== 'sender_report' || packet.ssrc !== inbound.source.ssrc) continue;
      this.#lastSenderReport = middleOfNtp(packet.ntpSeconds, packet.ntpFraction);
      this.#lastSenderReportMs = nowMs;
    }
  }

  /**
   * A new SDP. RTCP is sent to the port above the RTP port until the peer's packets show its RTCP port (RFC 3550 §11), or
   * to the RTP port if multiplexed.
   */
  configure(address: string, rtpPort: number, isMuxed: boolean): void {
    this.#isMuxed = isMuxed;
    this.latched(address, rtpPort);
  }

  /** The source of the peer's RTP packets is known. */
  latched(address: string, rtpPort: number): void {
    if (rtpPort > 0 && rtpPort < 65_535) this.#aim(address, rtpPort + 1);
  }

  tick(nowMs: number): void {
    this.#measure(nowMs);
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + this.#interval();
    this.#send(this.#report(nowMs));
  }

  /** The call ends: sends a last report with BYE. */
  close(nowMs: number): void {
    this.#measure(nowMs);
    this.#send([...this.#report(nowMs), { type: 'bye', ssrcs: [this.#options.outbound.ssrc] }]);
  }

  #measure(nowMs: number): void {
    const { inbound, outbound, quality } = this.#options;
    quality.sent(outbound.sent);
    if (inbound.lastMs === NEVER) return;
    const { source, statistics } = inbound;
    quality.received(source.runs, statistics.expected, statistics.lost);
    if (nowMs < this.#nextJitterMs) return;
    this.#nextJitterMs = nowMs + JITTER_INTERVAL_MS;
    quality.jitter(statistics.jitterMs);
  }

  /** The peer's report on our packets. Its reference to our last report yields the round trip (RFC 3550 §6.4.1). */
  #receiveReportBlock(block: ReportBlock, nowMs: number): void {
    const { outbound, quality } = this.#options;
    if (block.ssrc !== outbound.ssrc) return;
    quality.peer(outbound.sent, Math.min(block.cumulativeLost, outbound.sent), outbound.msOf(block.jitter));
    // A reference to a report that was never sent is noise or forged.
    const sentReport = this.#sentReports.find(({ middle }) => middle === block.lastSenderReport);
    if (sentReport === undefined) return;
    const roundTripMs = nowMs - sentReport.atMs - block.delaySinceLastSenderReport / NTP_UNITS_PER_MS;
    // The peer rounds its delay. A round trip shorter than that rounding may be negative and counts as 0.
    if (roundTripMs > -1) quality.roundTrip(Math.max(0, roundTripMs));
  }

  #aim(address: string, port: number): void {
    this.#remote = { address, port };
    this.#options.endpoint.aim(address, port);
  }

  #send(packets: readonly RtcpPacket[]): void {
    const { endpoint, muxed, security } = this.#options;
    const plain = encodeRtcp(packets);
    this.#options.onSent(plain, this.#isMuxed ? null : this.#remote);
    (this.#isMuxed ? muxed : endpoint).send(security.protectRtcp(plain));
  }

  #report(nowMs: number): RtcpPacket[] {
    const { inbound, outbound, wallMs } = this.#options;
    const { ssrc, sent } = outbound;
    const sinceReport =
      this.#lastSenderReport === 0 ? 0 : Math.round((nowMs - this.#lastSenderReportMs) * NTP_UNITS_PER_MS);
    const reports = inbound.lastMs === NEVER ? [] : [inbound.statistics.report(this.#lastSenderReport, sinceReport)];
    const description: RtcpPacket = { type: 'source_description', ssrc, cname: this.#cname };
    const active = sent > this.#sentBefore;
    this.#sentBefore = sent;
    if (!active) return [{ type: 'receiver_report', ssrc, reports }, description];
    const { seconds, fraction } = ntpOfWallMs(wallMs());
    this.#sentReports = [...this.#sentReports, { middle: middleOfNtp(seconds, fraction), atMs: nowMs }].slice(
      -KEPT_REPORTS,
    );
    return [
      {
        type: 'sender_report',
        ssrc,
        ntpSeconds: seconds,
        ntpFraction: fraction,
        rtpTimestamp: outbound.timestamp,
        packetCount: sent >>> 0,
        octetCount: outbound.octets,
        reports,
      },
      description,
    ];
  }

  #interval(): number {
    return REPORT_INTERVAL_MS * (0.5 + this.#options.random() / 2 ** 32);
  }
}
