import { describe, expect, it } from 'vitest';
import { pcapRecord } from '../../../../sip/capture/pcap.ts';
import type { TraceEntry } from '../../../../sip/transport/trace-entry.ts';
import { createCallTraces } from '../../../../src/observability/traces/call-traces.ts';
import { sipLadder } from '../../../../src/observability/traces/sip-ladder.ts';
import { SipTraces } from '../../../../src/observability/traces/sip-traces.ts';
import { readPcap } from '../../../sip/capture/read-pcap.ts';
import { INVITE, message } from './sip-message.ts';

const CALL = { id: 'call', fromNumber: '+33123456789', toNumber: '+33987654321' };

function entry(direction: TraceEntry['direction'], at: number, bytes: Uint8Array): TraceEntry {
  return { direction, at, transport: 'udp', remote: '198.51.100.7:5080', bytes };
}

function traced(...entries: TraceEntry[]) {
  const sip = new SipTraces();
  sip.assignLeg('call', 'caller', 'abc@host');
  for (const one of entries) sip.take(one);
  return sip;
}

describe('SIP traces', () => {
  it('are shown as a ladder with one line per message', () => {
    const ok = message('SIP/2.0 200 OK', ['CSeq: 1 INVITE']);
    const sip = traced(entry('received', 1000, INVITE), entry('sent', 1012.5, ok));
    const sipEndpoint = () => ({ address: '192.0.2.1', port: 5060 });
    const traces = createCallTraces({ sip, live: () => null, sipEndpoint, mediaAddress: '192.0.2.1' });
    expect(traces.ladder(CALL)).toBe(
      'caller  Call-ID abc@host\n\n' +
        '       0.0 ms  caller  <──  udp 198.51.100.7:5080  INVITE sip:+33•••••••21@127.0.0.1 (CSeq 1 INVITE) +SDP\n' +
        '      12.5 ms  caller  ──>  udp 198.51.100.7:5080  200 OK (CSeq 1 INVITE)\n',
    );
    expect(traces.ladder({ ...CALL, id: 'another' })).toBeNull();
    const [first, second] = readPcap(traces.pcap(CALL) ?? new Uint8Array());
    expect([first?.from, first?.to]).toEqual(['198.51.100.7:5080', '192.0.2.1:5060']);
    expect([second?.from, second?.to]).toEqual(['192.0.2.1:5060', '198.51.100.7:5080']);
    expect(traces.capture('call')).toBe(false);
  });

  it('cannot control the terminal that shows a ladder', () => {
    const sip = traced(
      entry('received', 0, message('SIP/2.0 486 \\\u001b]0;PWNED\\\u0007', ['CSeq: 1 \u202eINVITE'])),
      entry('received', 1, Buffer.from('SIP/2.0 486 \x9b31m\r\nCall-ID: abc@host\r\n\r\n', 'latin1')),
    );
    const lines = sipLadder(sip.of('call'), []).trimEnd().split('\n');
    expect(lines.slice(2).map((line) => line.slice(line.indexOf('486')))).toEqual([
      '486 \\\\u001b]0;PWNED\\\\u0007 (CSeq 1 \\u202eINVITE)',
      '486 ›31m (CSeq ?)',
    ]);
  });

  it('contain all named legs of a call, for any outcome and order', () => {
    const of = (sipCallId: string, start: string) =>
      Uint8Array.from(Buffer.from(`${start}\r\nCall-ID: ${sipCallId}\r\nCSeq: 1 INVITE\r\n\r\n`));
    const sip = new SipTraces();
    const take = (at: number, sipCallId: string, start: string) =>
      sip.take(entry('received', at, of(sipCallId, start)));
    take(0, 'a', 'INVITE sip:x SIP/2.0');
    for (const one of ['a', 'a', 'never sent']) sip.assignLeg('call', 'caller', one);
    sip.assignLeg('call', 'bridge', 'b');
    sip.assignLeg('call', 'bridge', 'c');
    take(1, 'b', 'SIP/2.0 503 No');
    take(2, 'c', 'SIP/2.0 486 Busy');
    take(3, 'a', 'SIP/2.0 486 Busy');
    const ladder = sipLadder(sip.of('call'), []);
    expect(ladder.split('\n').slice(0, 4)).toEqual([
      'caller    Call-ID a',
      'bridge    Call-ID b',
      'bridge 2  Call-ID c',
      '',
    ]);
    expect(ladder.match(/ms {2}\S+( \d)?/g)).toEqual(['ms  caller', 'ms  bridge', 'ms  bridge 2', 'ms  caller']);
    expect(sip.of('another')).toEqual([]);
    // Another call of the service: the callee of the first call.
    sip.assignLeg('called', 'caller', 'b');
    expect(sip.of('called').map(({ entries }) => entries.length)).toEqual([1]);
  });

  it('are bounded: the latest calls, and a maximum size for each', () => {
    const sip = new SipTraces();
    const bytes = message('OPTIONS sip:x SIP/2.0', ['CSeq: 1 OPTIONS'], 'x'.repeat(10_000));
    for (let i = 0; i < 100; i++) sip.take(entry('received', i, bytes));
    const invite = (sipCallId: string) =>
      sip.take(entry('received', 1, Uint8Array.from(Buffer.from(`INVITE sip:x SIP/2.0\r\ni: ${sipCallId}\r\n\r\n`))));
    const lengths = (callId: string) => sip.of(callId).map(({ entries }) => entries.length);
    sip.assignLeg('long', 'caller', 'abc@host');
    expect(lengths('long')).toEqual([12]);
    // Messages of unknown sources do not displace those of calls; only other calls do.
    for (let i = 0; i < 256; i++) invite(`stranger-${i}`);
    sip.assignLeg('late', 'caller', 'stranger-0');
    for (let i = 0; i < 300; i++) invite(`another-${i}`);
    sip.assignLeg('too late', 'caller', 'stranger-1');
    expect(['long', 'late', 'too late'].map(lengths)).toEqual([[12], [1], []]);
    for (let i = 0; i < 511; i++) sip.assignLeg(`call-${i}`, 'callee', `leg-${i}`);
    expect(['long', 'late'].map(lengths)).toEqual([[], []]);
    for (let i = 0; i < 20; i++) sip.assignLeg('forked', 'callee', `try-${i}`);
    for (let i = 0; i < 20; i++) invite(`try-${i}`);
    expect(lengths('forked')).toHaveLength(16);
    sip.take(entry('received', 0, Uint8Array.of(13, 10, 13, 10)));
    sip.take(entry('received', 0, new Uint8Array(0)));
  });
});

describe('an RTP capture', () => {
  it('starts on request and stops at its size limit', () => {
    let report: ((records: Uint8Array) => void) | null = null;
    const addresses: (string | null)[] = [];
    const rtp = {
      capture: (address: string | null, onRecords: (records: Uint8Array) => void) => {
        addresses.push(address);
        if (address !== null) report = onRecords;
      },
    };
    const traces = createCallTraces({
      sip: traced(),
      live: (id) => (id === 'call' ? { rtp } : id === 'web' ? { rtp: null } : null),
      sipEndpoint: () => ({ address: '192.0.2.1', port: 5060 }),
      mediaAddress: '192.0.2.9',
    });
    expect(traces.pcap(CALL)).toBeNull();
    expect(['call', 'call', 'web', 'other'].map((id) => traces.capture(id))).toEqual([true, true, false, false]);
    expect(addresses).toEqual(['192.0.2.9']);
    const record = pcapRecord(
      0,
      { address: '1.2.3.4', port: 1 },
      { address: '1.2.3.4', port: 2 },
      new Uint8Array(60_000),
    );
    for (let i = 0; i < 300; i++) (report as ((records: Uint8Array) => void) | null)?.(record);
    expect(addresses.at(-1)).toBeNull();
    const file = traces.pcap(CALL) ?? new Uint8Array();
    expect(file.length).toBeLessThanOrEqual(16 * 1024 * 1024 + 24);
    expect(readPcap(file).length).toBe(Math.floor((16 * 1024 * 1024) / record.length));

    traces.forget('call');
    (report as ((records: Uint8Array) => void) | null)?.(record);
    expect(traces.pcap(CALL)).toBeNull();
  });
});
