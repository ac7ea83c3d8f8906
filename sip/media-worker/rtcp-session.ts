import { decodeRtcp, encodeRtcp, middleOfNtp, ntpOfWallMs, type RtcpPacket } from '../rtp/rtcp.ts';
import { type Inbound, NEVER } from './inbound.ts';
import type { MediaSecurity } from './media-security.ts';
import type { Outbound } from './outbound.ts';
import type { UdpEndpoint } from './udp-transport.ts';

/** RFC 3550 §6.2's least interval; each is drawn between a half and one and a half of it (§6.3.1). */
const REPORT_INTERVAL_MS = 5000;
const NTP_UNITS_PER_MS = 65.536;

export interface RtcpOptions {
  readonly endpoint: UdpEndpoint;
  readonly security: MediaSecurity;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  readonly wallMs: () => number;
  /** 32 random bits. */
  readonly random: () => number;
}

/** Reports of one call (RFC 3550 §6): ours every five seconds or so, and what the peer's tell. */
export class RtcpSession {
  private readonly options: RtcpOptions;
  private readonly cname: string;
  private nextMs: number;
  private sentBefore = 0;
  private lastSenderReport = 0;
  private lastSenderReportMs = 0;

  constructor(options: RtcpOptions, nowMs: number) {
    this.options = options;
    // A name that says nothing of the host, for this call only (RFC 7022 §4.2).
    this.cname = options.random().toString(36) + options.random().toString(36);
    this.nextMs = nowMs + this.interval();
  }

  /** Takes a datagram of the RTCP port. Only the address is judged: its port is often another than SDP says. */
  receive(datagram: Uint8Array, address: string, port: number, nowMs: number): void {
    const { inbound, endpoint, security } = this.options;
    if (!inbound.latch.allowed.includes(address)) return;
    const plain = security.unprotectRtcp(datagram);
    const packets = plain === null ? null : decodeRtcp(plain);
    if (packets === null) return;
    endpoint.aim(address, port);
    for (const packet of packets) {
      if (packet.type !== 'sender_report' || packet.ssrc !== inbound.source.ssrc) continue;
      this.lastSenderReport = middleOfNtp(packet.ntpSeconds, packet.ntpFraction);
      this.lastSenderReportMs = nowMs;
    }
  }

  /** Where RTCP goes until the peer's own shows it: the port above RTP's (RFC 3550 §11). */
  aim(address: string, rtpPort: number): void {
    if (rtpPort > 0 && rtpPort < 65_535) this.options.endpoint.aim(address, rtpPort + 1);
  }

  tick(nowMs: number): void {
    if (nowMs < this.nextMs) return;
    this.nextMs = nowMs + this.interval();
    this.send(this.report(nowMs));
  }

  /** The call ends: one last report, with BYE. */
  close(nowMs: number): void {
    this.send([...this.report(nowMs), { type: 'bye', ssrcs: [this.options.outbound.ssrc] }]);
  }

  private send(packets: readonly RtcpPacket[]): void {
    this.options.endpoint.send(this.options.security.protectRtcp(encodeRtcp(packets)));
  }

  private report(nowMs: number): RtcpPacket[] {
    const { inbound, outbound, wallMs } = this.options;
    const { ssrc, sent } = outbound;
    const sinceReport =
      this.lastSenderReport === 0 ? 0 : Math.round((nowMs - this.lastSenderReportMs) * NTP_UNITS_PER_MS);
    const reports = inbound.lastMs === NEVER ? [] : [inbound.statistics.report(this.lastSenderReport, sinceReport)];
    const description: RtcpPacket = { type: 'source_description', ssrc, cname: this.cname };
    const active = sent > this.sentBefore;
    this.sentBefore = sent;
    if (!active) return [{ type: 'receiver_report', ssrc, reports }, description];
    const { seconds, fraction } = ntpOfWallMs(wallMs());
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

  private interval(): number {
    return REPORT_INTERVAL_MS * (0.5 + this.options.random() / 2 ** 32);
  }
}
