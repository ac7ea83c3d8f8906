/** One datagram of a capture, read by the format's definition, without the project's own code. */
export interface Datagram {
  readonly timeUs: number;
  readonly from: string;
  readonly to: string;
  readonly payload: Buffer;
}

/** Reads a classic capture of UDP over Ethernet. Throws if a length or checksum is wrong. */
export function readPcap(file: Uint8Array): Datagram[] {
  const bytes = Buffer.from(file);
  const header = [bytes.readUInt32BE(0), bytes.readUInt16BE(4), bytes.readUInt16BE(6), bytes.readUInt32BE(20)];
  if (`${header}` !== `${[0xa1b2c3d4, 2, 4, 1]}`) throw new Error(`the file begins with ${header}`);
  const datagrams: Datagram[] = [];
  let at = 24;
  while (at < bytes.length) {
    const timeUs = bytes.readUInt32BE(at) * 1e6 + bytes.readUInt32BE(at + 4);
    const length = bytes.readUInt32BE(at + 8);
    if (length !== bytes.readUInt32BE(at + 12)) throw new Error('cut');
    const frame = bytes.subarray(at + 16, at + 16 + length);
    if (frame.length !== length) throw new Error('the file ends within a frame');
    datagrams.push({ timeUs, ...readIp(frame.subarray(14), frame.readUInt16BE(12)) });
    at += 16 + length;
  }
  return datagrams;
}

function readIp(ip: Buffer, etherType: number): Omit<Datagram, 'timeUs'> {
  const isV4 = etherType === 0x0800;
  if (!isV4 && etherType !== 0x86dd) throw new Error(`ether type ${etherType}`);
  const udp = ip.subarray(isV4 ? 20 : 40);
  const declared = isV4 ? ip.readUInt16BE(2) - 20 : ip.readUInt16BE(4);
  if (declared !== udp.length || udp.readUInt16BE(4) !== udp.length) throw new Error('a length is wrong');
  if (isV4 && onesComplementSum(ip.subarray(0, 20)) !== 0xffff) throw new Error('the checksum of IP is wrong');
  const addresses = isV4 ? ip.subarray(12, 20) : ip.subarray(8, 40);
  const pseudo = Buffer.alloc(4);
  pseudo.writeUInt16BE(udp.length);
  pseudo.writeUInt16BE(17, 2);
  if (onesComplementSum(Buffer.concat([addresses, pseudo, udp])) !== 0xffff)
    throw new Error('the checksum of UDP is wrong');
  const half = addresses.length / 2;
  const name = (part: Buffer) => (isV4 ? part.join('.') : part.toString('hex'));
  return {
    from: `${name(addresses.subarray(0, half))}:${udp.readUInt16BE(0)}`,
    to: `${name(addresses.subarray(half))}:${udp.readUInt16BE(2)}`,
    payload: udp.subarray(8),
  };
}

/** The one's complement sum: all ones if the included checksum is correct. */
function onesComplementSum(bytes: Buffer): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) {
    sum += ((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0);
    if (sum > 0xffff) sum -= 0xffff;
  }
  return sum;
}
