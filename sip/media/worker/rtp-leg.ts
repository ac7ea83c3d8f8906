import type { Resamplers } from '../../../base/audio/resampler.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import { PacketCapture } from '../../capture/packet-capture.ts';
import type { Endpoint } from '../../capture/pcap.ts';
import { CallRecorder } from '../../recorder/call-recorder.ts';
import { type AudioCodec, isWideband } from '../../rtp/codecs/audio-codec.ts';
import type { OpusCodecs } from '../../rtp/codecs/opus-codec.ts';
import { looksLikeRtcp } from '../../rtp/packet/rtp-packet.ts';
import { RELATCH_SILENCE_MS } from '../../rtp/reception/source-latch.ts';
import type { RtpParameters } from '../../rtp/rtp-parameters.ts';
import type { PlayedSource, Relay } from '../bridge/relay.ts';
import type { VoiceClassifier } from '../detection/voice-activity.ts';
import { MediaQualityRecorder } from '../quality/media-quality.ts';
import { RtpReceiver } from '../receive/rtp-receiver.ts';
import { Playout } from '../send/playout.ts';
import { RtpSender } from '../send/rtp-sender.ts';
import { WireConverter } from '../send/wire-converter.ts';
import type { UdpSocket, UdpSockets } from '../udp/udp-sockets.ts';
import { CODEC_ALAW, CODEC_LINEAR16, CODEC_MULAW } from '../worker-channel/audio-frame.ts';
import { type SessionMemory, viewSessionMemory, WANTS_ROOM } from '../worker-channel/session-memory.ts';
import type { OpenCommand, SessionKey } from '../worker-channel/worker-messages.ts';
import type { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { RtcpSession } from './rtcp-session.ts';
import { SrtpSession } from './srtp-session.ts';

/**
 * So many packets verify the source: a fifth of a second of speech. With fewer, an attacker who sends to every port
 * would soon verify a forged address.
 */
const VERIFICATION_PACKETS = 10;

/** What a leg needs of its worker. */
export interface LegHost {
  readonly transport: UdpSockets;
  readonly resamplers: Resamplers;
  readonly opus: OpusCodecs;
  readonly createClassifier: () => VoiceClassifier;
  readonly statistics: WorkerStatistics;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** 32 random bits. */
  readonly random: () => number;
  readonly emit: (key: SessionKey, event: MediaEvent) => void;
  /** The source of an unverified session was verified. */
  readonly sourceVerified: (key: SessionKey) => void;
  /** Packets of a captured session. */
  readonly captured: (key: SessionKey, records: Uint8Array) => void;
  /** An internal error while a packet was received: it costs this session only. */
  readonly fail: (key: SessionKey, error: unknown) => void;
  /** The session has audio for the main thread, or space. */
  readonly ready: (slot: number) => void;
}

/** One call in its worker: two ports, the way in, the way out, and the reports on both. */
export class RtpLeg {
  readonly #memory: SessionMemory;
  readonly #host: LegHost;
  readonly #key: SessionKey;
  readonly #mediaTimeoutMs: number;
  readonly #rtp: UdpSocket;
  readonly #rtcpEndpoint: UdpSocket;
  readonly #recorder: CallRecorder | null;
  readonly #converter: WireConverter;
  readonly #playout: Playout;
  readonly #inbound: RtpReceiver;
  readonly #outbound: RtpSender;
  readonly #rtcp: RtcpSession;
  readonly #security: SrtpSession;
  #session: RtpParameters | null = null;
  readonly #port: number;
  /** Null without a capture: then nothing is copied. */
  #tap: PacketCapture | null = null;
  /** Since when packets of the peer are missing; null while none are expected. */
  #expectedSinceMs: number | null = null;
  #timeoutReported = false;
  /** Packets of an unverified source. */
  #verificationPackets = 0;

  /** Binds both ports. Rejects with the system's error, and leaves neither port bound. */
  static async open(order: OpenCommand, port: number, key: SessionKey, host: LegHost): Promise<RtpLeg> {
    let leg: RtpLeg | null = null;
    const rtp = await host.transport.bind(port, (packet, address, port) => {
      if (leg !== null) leg.#receive(packet, address, port);
    });
    try {
      const rtcp = await host.transport.bind(port + 1, (packet, address, port) => {
        if (leg !== null) leg.#receiveRtcp(packet, address, port);
      });
      leg = new RtpLeg(order, port, key, host, rtp, rtcp);
      return leg;
    } catch (error) {
      await rtp.close();
      throw error;
    }
  }

  private constructor(
    order: OpenCommand,
    port: number,
    key: SessionKey,
    host: LegHost,
    rtp: UdpSocket,
    rtcpEndpoint: UdpSocket,
  ) {
    this.#host = host;
    this.#key = key;
    this.#mediaTimeoutMs = order.mediaTimeoutMs;
    this.#port = port;
    this.#rtp = rtp;
    this.#rtcpEndpoint = rtcpEndpoint;
    this.#memory = viewSessionMemory(order.memory);
    this.#security = new SrtpSession(this.#memory.control);
    this.#recorder = order.recording === null ? null : new CallRecorder(order.recording);
    this.#recorder?.agentSilent(order.absentMs);
    const { slot, generation } = key;
    const recorder = this.#recorder;
    const emit = (event: MediaEvent) => host.emit(key, event);
    this.#converter = new WireConverter(host.resamplers);
    this.#playout = new Playout(this.#memory, slot, generation, this.#converter);
    this.#inbound = new RtpReceiver({
      memory: this.#memory,
      slot,
      generation,
      format: order.format,
      resamplers: host.resamplers,
      opus: host.opus,
      classifier: host.createClassifier(),
      recorder,
      statistics: host.statistics,
      emit,
      ready: () => host.ready(slot),
    });
    const playout = this.#playout;
    const security = this.#security;
    const endpoint = {
      send: (packet: Uint8Array) => {
        this.#tapSent(packet);
        sendProtected(rtp, security, packet);
      },
    };
    const { statistics, random, opus, resamplers } = host;
    this.#outbound = new RtpSender({ endpoint, playout, opus, resamplers, recorder, statistics, emit, random });
    const inbound = this.#inbound;
    const outbound = this.#outbound;
    const { wallMs } = host;
    const quality = new MediaQualityRecorder(this.#memory.quality);
    this.#rtcp = new RtcpSession(
      {
        endpoint: rtcpEndpoint,
        muxed: rtp,
        security,
        inbound,
        outbound,
        quality,
        wallMs,
        random,
        onReceived: (packet, from) => this.#tap?.received(from, packet, this.#rtcpPort),
        onSent: (packet, to) => this.#tap?.sent(to ?? this.#peer(), packet, this.#rtcpPort),
      },
      host.nowMs(),
    );
  }

  /** The first SDP, or a new one. A change of direction alone keeps the latch. */
  configure(session: RtpParameters): void {
    const before = this.#session;
    const moved = before === null || !samePeer(before, session);
    this.#session = session;
    this.#security.configure(session.srtp);
    this.#converter.wire = playedCodec(session.codec);
    if (this.#recorder !== null) this.#recorder.alaw = session.codec === 'pcma';
    this.#inbound.configure(session, moved);
    this.#outbound.configure(session);
    this.#expectedSinceMs = session.direction === 'sendrecv' ? this.#host.nowMs() : null;
    this.#timeoutReported = false;
    this.#verificationPackets = 0;
    if (!moved) return;
    const port = isSomewhere(session.remoteAddress) ? session.remotePort : 0;
    this.#rtp.aim(session.remoteAddress, port);
    this.#rtcp.configure(session.remoteAddress, port, session.rtcpMux === true);
  }

  /** Both ways: the peer is sent the codec that it sends. */
  get isWideband(): boolean {
    return this.#session !== null && isWideband(this.#session.codec);
  }

  /** The pacer's tick: one packet out, then whatever is due. */
  tick(): void {
    const session = this.#session;
    if (session === null) return;
    this.#outbound.tick(session);
    const nowMs = this.#host.nowMs();
    this.#inbound.tick(nowMs);
    if (!session.sourceUnverified) this.#rtcp.tick(nowMs);
    this.#watch(nowMs);
    this.#tellRoom();
  }

  /** Ticks that came too late to be sent. */
  skip(ticks: number): void {
    if (this.#session !== null) this.#outbound.skip(ticks);
  }

  clear(utterance: number): void {
    this.#playout.discardCleared();
    this.#host.emit(this.#key, { type: 'cleared', utterance, playedMs: this.#playout.playedMs(utterance) });
    this.#tellRoom();
  }

  pause(): void {
    const { utterance } = this.#playout;
    this.#host.emit(this.#key, { type: 'paused', utterance, playedMs: this.#playout.playedMs(utterance) });
  }

  sendDtmf(digits: string): void {
    this.#outbound.sendDtmf(digits);
  }

  /** The peer sent a DTMF digit by SIP INFO. */
  receiveInfoDtmf(digit: string, durationMs: number): void {
    this.#inbound.receiveInfoDtmf(digit, durationMs, this.#host.nowMs());
  }

  listenForTones(on: boolean): void {
    this.#inbound.listenForTones(on);
  }

  /** Copies the packets both ways from now on, RTP and RTCP, before encryption and after decryption; null: no more. */
  capture(localAddress: string | null): void {
    this.#tap?.flush();
    const host = this.#host;
    const key = this.#key;
    const port = this.#port;
    const hand = (records: Uint8Array) => host.captured(key, records);
    this.#tap = localAddress === null ? null : new PacketCapture({ address: localAddress, port }, host.wallMs, hand);
  }

  /** Replaces the agent's audio toward the peer; null: the agent's again. */
  playFrom(source: PlayedSource | null): void {
    this.#outbound.playFrom(source);
  }

  /** Where the peer's audio and DTMF digits go in addition. */
  relayTo(relay: Relay | null): void {
    this.#inbound.relayTo(relay);
  }

  async close(): Promise<void> {
    this.#inbound.close();
    this.#recorder?.close();
    this.#converter.reset();
    this.#outbound.free();
    if (this.#session !== null && !this.#session.sourceUnverified) this.#rtcp.close(this.#host.nowMs());
    this.#tap?.flush();
    await Promise.all([this.#rtp.close(), this.#rtcpEndpoint.close()]);
  }

  #receive(packet: Uint8Array, address: string, port: number): void {
    try {
      if (this.#session?.rtcpMux === true && looksLikeRtcp(packet, packet.length)) {
        this.#rtcp.receive(packet, address, port, this.#host.nowMs());
        return;
      }
      // Before decryption: packets of other sources must cost next to nothing.
      const allowed = this.#inbound.latch.allowed.includes(address);
      const plain = allowed ? this.#security.unprotect(packet) : null;
      if (plain === null) {
        this.#host.statistics.countDropped(1);
        return;
      }
      if (!this.#inbound.receive(plain, address, port, this.#host.nowMs())) return;
      this.#tap?.received({ address, port }, plain);
      this.#timeoutReported = false;
      if (this.#session?.sourceUnverified && ++this.#verificationPackets === VERIFICATION_PACKETS)
        this.#host.sourceVerified(this.#key);
      if (this.#rtp.connected) return;
      this.#rtp.connect(address, port);
      this.#rtcp.latched(address, port);
    } catch (error) {
      this.#host.fail(this.#key, error);
    }
  }

  #tapSent(packet: Uint8Array): void {
    if (this.#session !== null) this.#tap?.sent(this.#peer(), packet);
  }

  /** The latched source of the peer's packets; before the first one, the address in SDP. */
  #peer(): Endpoint {
    const { latch } = this.#inbound;
    if (latch.address !== null) return { address: latch.address, port: latch.port };
    return { address: this.#session?.remoteAddress ?? '', port: this.#session?.remotePort ?? 0 };
  }

  get #rtcpPort(): number {
    return this.#session?.rtcpMux === true ? this.#port : this.#port + 1;
  }

  #receiveRtcp(packet: Uint8Array, address: string, port: number): void {
    try {
      this.#rtcp.receive(packet, address, port, this.#host.nowMs());
    } catch (error) {
      this.#host.fail(this.#key, error);
    }
  }

  #watch(nowMs: number): void {
    const { lastMs, latch } = this.#inbound;
    if (latch.address !== null && this.#rtp.connected && nowMs - lastMs >= RELATCH_SILENCE_MS) {
      // The stream may continue from another source, which a connected socket would not receive.
      this.#rtp.aim(latch.address, latch.port);
    }
    if (this.#expectedSinceMs === null || this.#timeoutReported) return;
    if (nowMs - Math.max(this.#expectedSinceMs, lastMs) < this.#mediaTimeoutMs) return;
    this.#timeoutReported = true;
    this.#host.emit(this.#key, { type: 'timeout' });
  }

  #tellRoom(): void {
    const { control, downlink } = this.#memory;
    if (Atomics.load(control, WANTS_ROOM) === 0 || downlink.used > downlink.capacity / 2) return;
    Atomics.store(control, WANTS_ROOM, 0);
    this.#host.ready(this.#key.slot);
  }
}

function sendProtected(endpoint: UdpSocket, security: SrtpSession, packet: Uint8Array): void {
  const outgoing = security.protect(packet);
  if (outgoing !== null) endpoint.send(outgoing);
}

/** What the playout makes: the payload itself, or an encoder's input. */
function playedCodec(codec: AudioCodec): number {
  if (isWideband(codec)) return CODEC_LINEAR16;
  return codec === 'pcmu' ? CODEC_MULAW : CODEC_ALAW;
}

/** RFC 2543's hold. It cannot be sent to: the kernel treats the unspecified address as this host. */
function isSomewhere(address: string): boolean {
  return address !== '0.0.0.0' && address !== '::';
}

function samePeer(before: RtpParameters, now: RtpParameters): boolean {
  return (
    before.remoteAddress === now.remoteAddress &&
    before.remotePort === now.remotePort &&
    before.codec === now.codec &&
    before.payloadType === now.payloadType &&
    before.rtcpMux === now.rtcpMux &&
    before.allowedAddresses.length === now.allowedAddresses.length &&
    before.allowedAddresses.every((address, index) => address === now.allowedAddresses[index])
  );
}
