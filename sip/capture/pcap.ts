import { isIPv4, isIPv6 } from 'node:net';
import { ipv6Groups } from '../../base/network/ip-address.ts';

/**
 * The classic capture format (pcap 2.4, big-endian, microseconds) with UDP datagrams in Ethernet frames, for Wireshark
 * and sngrep. SIP messages over TCP or TLS are written as UDP datagrams too; their Via names the transport.
 *
 *     file    a1b2c3d4  2 4  zone 0  0  snap length  link type 1 (Ethernet)
 *     record  seconds  microseconds  bytes here  bytes on the wire  frame
 */
const FILE_HEADER = Uint8Array.of(0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1);
const PCAP_RECORD_BYTES = 16;
const ETHERNET_BYTES = 14;
const IPV4_BYTES = 20;
const IPV6_BYTES = 40;
const UDP_BYTES = 8;
const UDP_PROTOCOL = 17;
const HOPS = 64;
/** The length field of a datagram has 16 bits and includes the headers. A longer message is truncated. */
const PAYLOAD_MAX = 0xffff - IPV4_BYTES - UDP_BYTES;
/** Destination and source MAC address, locally administered, so that no network card has them. */
const MACS = Uint8Array.of(2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1);

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * One datagram at a wall-clock time. Unless both addresses are IPv4, both are written as IPv6. An invalid address is
 * written as `::`.
 */
export function pcapRecord(wallMs: number, from: Endpoint, to: Endpoint, payload: Uint8Array): Uint8Array {
  const body = payload.subarray(0, PAYLOAD_MAX);
  const isV4 = isIPv4(from.address) && isIPv4(to.address);
  const ipBytes = isV4 ? IPV4_BYTES : IPV6_BYTES;
  const frameBytes = ETHERNET_BYTES + ipBytes + UDP_BYTES + body.length;
  const record = new Uint8Array(PCAP_RECORD_BYTES + frameBytes);
  const view = new DataView(record.buffer);
  const seconds = Math.floor(wallMs / 1000);
  view.setUint32(0, seconds);
  view.setUint32(4, Math.floor((wallMs - seconds * 1000) * 1000));
  view.setUint32(8, frameBytes);
  view.setUint32(12, frameBytes);
  record.set(MACS, PCAP_RECORD_BYTES);
  view.setUint16(PCAP_RECORD_BYTES + 12, isV4 ? 0x0800 : 0x86dd);
  const ip = PCAP_RECORD_BYTES + ETHERNET_BYTES;
  const udp = ip + ipBytes;
  const udpBytes = UDP_BYTES + body.length;
  if (isV4) writeIpv4(record, view, ip, from.address, to.address, udpBytes);
  else writeIpv6(record, view, ip, from.address, to.address, udpBytes);
  view.setUint16(udp, from.port);
  view.setUint16(udp + 2, to.port);
  view.setUint16(udp + 4, udpBytes);
  record.set(body, udp + UDP_BYTES);
  const addresses = isV4 ? [ip + 12, 8] : [ip + 8, 32];
  const sum = checksum(
    view,
    udp,
    udpBytes,
    checksumPart(view, addresses[0] ?? 0, addresses[1] ?? 0) + udpBytes + UDP_PROTOCOL,
  );
  // 0 would mean «no checksum» (RFC 768).
  view.setUint16(udp + 6, sum === 0 ? 0xffff : sum);
  return record;
}

/** A capture file of these records, earliest first. A chunk may contain several consecutive records. */
export function pcapFile(chunks: readonly Uint8Array[]): Uint8Array {
  const records = chunks.flatMap(recordsIn).sort((a, b) => timeOf(a) - timeOf(b));
  const bytes = new Uint8Array(FILE_HEADER.length + records.reduce((sum, record) => sum + record.length, 0));
  bytes.set(FILE_HEADER);
  let at = FILE_HEADER.length;
  for (const record of records) {
    bytes.set(record, at);
    at += record.length;
  }
  return bytes;
}

function recordsIn(chunk: Uint8Array): Uint8Array[] {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const records: Uint8Array[] = [];
  for (let at = 0; at + PCAP_RECORD_BYTES <= chunk.length; ) {
    const end = at + PCAP_RECORD_BYTES + view.getUint32(at + 8);
    records.push(chunk.subarray(at, end));
    at = end;
  }
  return records;
}

function timeOf(record: Uint8Array): number {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  return view.getUint32(0) * 1e6 + view.getUint32(4);
}

function writeIpv4(into: Uint8Array, view: DataView, at: number, from: string, to: string, payloadBytes: number): void {
  view.setUint8(at, 0x45);
  view.setUint16(at + 2, IPV4_BYTES + payloadBytes);
  view.setUint8(at + 8, HOPS);
  view.setUint8(at + 9, UDP_PROTOCOL);
  into.set(from.split('.').map(Number), at + 12);
  into.set(to.split('.').map(Number), at + 16);
  view.setUint16(at + 10, checksum(view, at, IPV4_BYTES, 0));
}

function writeIpv6(into: Uint8Array, view: DataView, at: number, from: string, to: string, payloadBytes: number): void {
  view.setUint8(at, 0x60);
  view.setUint16(at + 4, payloadBytes);
  view.setUint8(at + 6, UDP_PROTOCOL);
  view.setUint8(at + 7, HOPS);
  into.set(ipv6Bytes(from), at + 8);
  into.set(ipv6Bytes(to), at + 24);
}

/** Sixteen bytes; an IPv4 address mapped (RFC 4291 §2.5.5.2). */
function ipv6Bytes(address: string): Uint8Array {
  const bytes = new Uint8Array(16);
  if (isIPv4(address)) {
    bytes.set([0xff, 0xff, ...address.split('.').map(Number)], 10);
    return bytes;
  }
  if (!isIPv6(address)) return bytes;
  const view = new DataView(bytes.buffer);
  for (const [n, group] of ipv6Groups(address).entries()) view.setUint16(n * 2, group);
  return bytes;
}

/** The Internet checksum (RFC 1071). */
function checksum(view: DataView, at: number, length: number, begin: number): number {
  let sum = begin + checksumPart(view, at, length);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}

function checksumPart(view: DataView, at: number, length: number): number {
  let sum = 0;
  for (let i = 0; i + 1 < length; i += 2) sum += view.getUint16(at + i);
  return length % 2 === 0 ? sum : sum + view.getUint8(at + length - 1) * 256;
}
