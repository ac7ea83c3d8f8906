import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createRtpPacket, decodeRtp, encodeRtpHeader, RTP_HEADER_BYTES } from '../../sip/rtp/packet/rtp-packet.ts';
import type { RtpParameters } from '../../sip/rtp/rtp-parameters.ts';
import { bindUdp } from '../udp-port.ts';
import { Watchers } from '../watchers.ts';

export interface ReceivedPacket {
  readonly payloadType: number;
  readonly marker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly ssrc: number;
  readonly payload: Uint8Array;
  readonly port: number;
}

/** One RTP socket: keeps all received packets, and sends the payloads of a test. */
export class RtpPeer {
  readonly packets: ReceivedPacket[] = [];
  ssrc = 0x1234;
  sequence = 100;
  timestamp = 8000;
  /** Destination address of all packets. */
  remoteHost = '127.0.0.1';
  /** Called with each packet after it was added to `packets`. */
  onPacket: (packet: ReceivedPacket) => void = () => undefined;
  #closed = false;
  readonly #socket: Socket;
  readonly #watchers = new Watchers();
  readonly #lost = Promise.withResolvers<never>();

  static async open(address = '127.0.0.1', port = 0): Promise<RtpPeer> {
    const socket = createSocket('udp4');
    socket.bind(port, address);
    // Rejects if the port is taken.
    await once(socket, 'listening');
    return new RtpPeer(socket);
  }

  /** On a free even port of `address`. */
  static async openOnFreePort(address: string): Promise<RtpPeer> {
    return new RtpPeer(await bindUdp(address));
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#lost.promise.catch(() => undefined);
    socket.on('error', () => undefined);
    socket.on('message', (bytes, source) => {
      const packet = createRtpPacket();
      if (!decodeRtp(bytes, bytes.length, packet)) return;
      const payload = Uint8Array.from(
        bytes.subarray(packet.payloadOffset, packet.payloadOffset + packet.payloadLength),
      );
      const { payloadType, marker, sequence, timestamp, ssrc } = packet;
      const received = { payloadType, marker, sequence, timestamp, ssrc, payload, port: source.port };
      this.packets.push(received);
      this.onPacket(received);
      this.#watchers.check();
    });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  session(changes: Partial<RtpParameters> = {}): RtpParameters {
    return {
      codec: 'pcmu',
      payloadType: 0,
      dtmfPayloadType: 101,
      remoteAddress: '127.0.0.1',
      remotePort: this.port,
      allowedAddresses: [],
      direction: 'sendrecv',
      ...changes,
    };
  }

  /** Sends one packet. Advances the sequence number, and the timestamp by G.711 audio. */
  async send(
    to: number,
    payload: Uint8Array,
    payloadType = 0,
    marker = false,
    timestamp = this.timestamp,
  ): Promise<void> {
    const packet = new Uint8Array(RTP_HEADER_BYTES + payload.length);
    encodeRtpHeader(packet, payloadType, marker, this.sequence, timestamp, this.ssrc);
    packet.set(payload, RTP_HEADER_BYTES);
    this.sequence = (this.sequence + 1) & 0xffff;
    if (payloadType === 0 || payloadType === 8) this.timestamp = (this.timestamp + payload.length) >>> 0;
    await this.sendRaw(to, packet);
  }

  /** Sends the payload at once, in packets of 20 ms, so that no stall of this process causes a pause. */
  async sendAtOnce(to: number, payload: Uint8Array, payloadType = 0): Promise<void> {
    const packets: Promise<void>[] = [];
    for (let at = 0; at < payload.length; at += 160) {
      packets.push(this.send(to, payload.subarray(at, at + 160), payloadType));
      if (payloadType === 9) this.timestamp = (this.timestamp + 160) >>> 0;
    }
    await Promise.all(packets);
  }

  async sendRaw(to: number, bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.send(bytes, to, this.remoteHost, () => resolve()));
  }

  /** All payload bytes of the audio received so far, in order of arrival. */
  audio(payloadType = 0): Uint8Array {
    return Buffer.concat(
      this.packets.filter((packet) => packet.payloadType === payloadType).map(({ payload }) => payload),
    );
  }

  /** Resolves at the packet after which `done` returns true. Rejects after `fail`. */
  until(done: () => boolean): Promise<void> {
    return Promise.race([this.#watchers.until(done), this.#lost.promise]);
  }

  /** The session sends no more: pending `until` calls reject with the reason. */
  fail(reason: string): void {
    this.#lost.reject(new Error(reason));
  }

  /** Resolves when `count` more packets have arrived. */
  more(count: number): Promise<void> {
    const target = this.packets.length + count;
    return this.until(() => this.packets.length >= target);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
  }
}

/** The number of bytes that are not mu-law silence. */
export function voicedBytes(audio: Uint8Array): number {
  return audio.reduce((count, code) => (code === 0xff ? count : count + 1), 0);
}
