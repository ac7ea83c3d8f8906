import type { Socket } from 'node:dgram';
import { bindUdp } from '../../test/udp-port.ts';
import { monotonicMs } from '../monotonic-clock.ts';
import { Pacing } from '../pacing.ts';
import { FRAME_BYTES, findMarker, type Marker, SILENCE } from './audio-marker.ts';

const HEADER_BYTES = 12;
const LOCAL_ADDRESS = '127.0.0.1';

/** A caller's RTP stream in mu-law: sends one frame for each call of `sendFrame`, and reads markers and pacing of received packets. */
export class CallerAudio {
  readonly pacing = new Pacing();
  /** Arrival of the last packet that was not all silence. */
  lastSpeechMs = Number.NaN;
  readonly #socket: Socket;
  readonly #packet = Buffer.alloc(HEADER_BYTES + FRAME_BYTES, SILENCE);
  readonly #onMarker: (marker: Marker, atMs: number) => void;
  #frames: readonly Buffer[] = [];
  #next = 0;
  #sent = 0;
  #onLastFrame: (atMs: number) => void = () => undefined;

  private constructor(socket: Socket, call: number, onMarker: (marker: Marker, atMs: number) => void) {
    this.#socket = socket;
    this.#onMarker = onMarker;
    this.#packet.fill(0, 0, HEADER_BYTES);
    this.#packet[0] = 0x80;
    this.#packet.writeUInt32BE(call, 8);
    socket.on('message', (bytes) => this.#receive(bytes));
  }

  static async open(call: number, onMarker: (marker: Marker, atMs: number) => void): Promise<CallerAudio> {
    return new CallerAudio(await bindUdp(LOCAL_ADDRESS), call, onMarker);
  }

  offer(): string {
    const media = `m=audio ${this.#socket.address().port} RTP/AVP 0`;
    const lines = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', media, 'a=ptime:20'];
    return `${lines.join('\r\n')}\r\n`;
  }

  /** Sends to the address in an SDP answer. False for an answer without audio. */
  connectTo(answer: string): boolean {
    const port = Number(/^m=audio (\d+) /m.exec(answer)?.[1] ?? 0);
    // A connected socket sends without an address look-up, in the same turn of the event loop.
    if (port > 0) this.#socket.connect(port, LOCAL_ADDRESS);
    return port > 0;
  }

  /** Queues these frames. `onLastFrame` gets the time at which the last one was written to the socket. */
  speak(frames: readonly Buffer[], onLastFrame: (atMs: number) => void): void {
    this.#frames = frames;
    this.#next = 0;
    this.#onLastFrame = onLastFrame;
  }

  /** Sends the next 20 ms of queued speech, or silence. */
  sendFrame(): void {
    const packet = this.#packet;
    const frames = this.#frames;
    packet.writeUInt16BE(this.#sent & 0xffff, 2);
    packet.writeUInt32BE((this.#sent * FRAME_BYTES) >>> 0, 4);
    this.#sent++;
    const frame = frames[this.#next];
    if (frame === undefined) packet.fill(SILENCE, HEADER_BYTES);
    else frame.copy(packet, HEADER_BYTES);
    const last = frame !== undefined && this.#next === frames.length - 1;
    if (frame !== undefined) this.#next++;
    const nowMs = last ? monotonicMs() : 0;
    this.#socket.send(packet);
    if (last) this.#onLastFrame(nowMs);
  }

  close(): void {
    this.#socket.close();
  }

  #receive(bytes: Buffer): void {
    const nowMs = monotonicMs();
    if (bytes.length < HEADER_BYTES || (bytes[1] ?? 0) % 128 !== 0) return;
    this.pacing.add(nowMs, bytes.readUInt16BE(2), bytes.readUInt32BE(4));
    const found = findMarker(bytes, HEADER_BYTES);
    if (found !== null) this.#onMarker(found.marker, nowMs);
    for (let at = HEADER_BYTES; at < bytes.length; at++) {
      if (bytes[at] === SILENCE) continue;
      this.lastSpeechMs = nowMs;
      break;
    }
  }
}
