import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** The header and the first byte of a final text frame of 256 bytes (RFC 6455, section 5.2). */
const HALF_FRAME = Buffer.from([0x81, 0x7e, 0x01, 0x00, 0x7b]);

const wires = new WeakMap<WebSocket, Duplex>();

/** Remembers the TCP connection of a WebSocket for `cutInFrame`. */
export function knowWire(socket: WebSocket, wire: Duplex): void {
  wires.set(socket, wire);
}

/** Starts a message and ends the connection in the middle of its frame. */
export function cutInFrame(socket: WebSocket): void {
  wires.get(socket)?.end(HALF_FRAME);
}
