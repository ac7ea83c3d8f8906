import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pcapFile, pcapRecord } from '../../../sip/capture/pcap.ts';
import { readPcap } from './read-pcap.ts';

const A = { address: '192.0.2.1', port: 5060 };
const B = { address: '198.51.100.7', port: 4000 };

describe('pcap file', () => {
  it('follows the format byte for byte', () => {
    const file = pcapFile([pcapRecord(1_700_000_000_123.5, A, B, Uint8Array.of(1, 2, 3))]);
    expect(Buffer.from(file).toString('hex')).toBe(
      [
        'a1b2c3d40002000400000000000000000001000000000001',
        '6553f1000001e26c0000002d0000002d',
        '0200000000020200000000010800',
        '4500001f0000000040118e92c0000201c6336407',
        '13c40fa0000bec35010203',
      ].join(''),
    );
  });

  it('is read back as written by an independent reader, with correct lengths and checksums', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const v4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
    const endpoint = fc.record({ address: v4, port: fc.integer({ min: 0, max: 65_535 }) });
    const record = fc.record({
      atUs: fc.integer({ min: 0, max: 4_000_000_000 }),
      from: endpoint,
      to: endpoint,
      payload: fc.uint8Array({ maxLength: 1500 }),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 10 }), (records) => {
        const file = pcapFile(records.map(({ atUs, from, to, payload }) => pcapRecord(atUs / 1000, from, to, payload)));
        const read = readPcap(file);
        expect(read).toHaveLength(records.length);
        const sorted = records.toSorted((a, b) => Math.floor(a.atUs) - Math.floor(b.atUs));
        read.forEach(({ timeUs }, i) => {
          expect(Math.abs(timeUs - (sorted[i]?.atUs ?? 0))).toBeLessThanOrEqual(1);
          if (i > 0) expect(timeUs).toBeGreaterThanOrEqual(read[i - 1]?.timeUs ?? 0);
        });
        for (const { from, to, payload } of records) {
          expect(
            read.some(
              (datagram) =>
                datagram.from === `${from.address}:${from.port}` &&
                datagram.to === `${to.address}:${to.port}` &&
                datagram.payload.equals(payload),
            ),
          ).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['2001:db8::1', '20010db8000000000000000000000001'],
    ['::', '00000000000000000000000000000000'],
    ['fe80::1:2%eth0', 'fe800000000000000000000000010002'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['no address', '00000000000000000000000000000000'],
  ])('writes %s as an IPv6 address', (address, hex) => {
    const [read] = readPcap(pcapFile([pcapRecord(0, { address, port: 1 }, B, Uint8Array.of(9))]));
    expect(read?.from).toBe(`${hex}:1`);
    expect(read?.to).toBe('00000000000000000000ffffc6336407:4000');
  });

  it('truncates payloads longer than a datagram, and accepts several records in a chunk', () => {
    const long = pcapRecord(2, A, B, new Uint8Array(70_000));
    const short = pcapRecord(1, B, A, Uint8Array.of(1));
    const piece = new Uint8Array(long.length + short.length);
    piece.set(long);
    piece.set(short, long.length);
    expect(readPcap(pcapFile([piece])).map(({ payload }) => payload.length)).toEqual([1, 65_507]);
  });
});
