import { describe, expect, it } from 'vitest';
import { describeReason, formatReason } from '../../../sip/message/reason.ts';

describe('a Reason header', () => {
  it.each([
    ['Q.850;cause=34;text="No circuit"', 'Q.850 34 (No circuit)'],
    ['Q.850 ;cause=21', 'Q.850 21'],
    ['SIP;cause=503;text="connection refused"', 'connection refused'],
    ['SIP;cause=503;text="a, b", Q.850;cause=41', 'a, b, Q.850 41'],
    ['Q.850;cause=16;text="Normal call clearing"', null],
    ['SIP;cause=200', null],
    ['Q.850;text="open', null],
    ['', null],
  ])('%j is described as %j', (header, described) => {
    expect(describeReason(header)).toBe(described);
  });

  it('contains our text on one line', () => {
    expect(describeReason(formatReason(503, 'a "b"\r\n\\c'))).toBe('a "b"  \\c');
  });

  it('is truncated if a hostile peer sends a long one', () => {
    expect(describeReason(`SIP;text="${'a'.repeat(5_000)}"`)).toHaveLength(200);
  });
});
