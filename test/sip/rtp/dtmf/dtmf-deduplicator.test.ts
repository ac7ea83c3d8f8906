import { describe, expect, it } from 'vitest';
import { DtmfDeduplicator, type DtmfSource } from '../../../../sip/rtp/dtmf/dtmf-deduplicator.ts';

/** The accepted digits of these, each with source, digit and time in ms. */
function acceptedDigits(...digits: (readonly [DtmfSource, string, number])[]): string {
  const deduplicator = new DtmfDeduplicator();
  return digits
    .filter(([source, digit, atMs]) => deduplicator.take(source, digit, atMs))
    .map(([, digit]) => digit)
    .join('');
}

describe('DTMF deduplicator', () => {
  it('accepts each digit of one source, including a repeated digit', () => {
    for (const source of ['event', 'info', 'tone'] as const) {
      expect(acceptedDigits([source, '1', 0], [source, '1', 300], [source, '2', 600])).toBe('112');
    }
  });

  it('accepts a digit once that arrives as an event and as a tone, in either order', () => {
    expect(acceptedDigits(['event', '5', 0], ['tone', '5', 20], ['event', '5', 400], ['tone', '5', 420])).toBe('55');
    expect(acceptedDigits(['tone', '5', 0], ['event', '5', 20], ['tone', '5', 400], ['event', '5', 420])).toBe('55');
  });

  it('accepts a digit once that arrives as a tone and by INFO, or by INFO and as an event', () => {
    expect(acceptedDigits(['tone', '1', 0], ['info', '1', 600], ['tone', '2', 1000], ['info', '2', 1600])).toBe('12');
    expect(acceptedDigits(['info', '1', 0], ['event', '1', 50], ['info', '2', 1000], ['event', '2', 1050])).toBe('12');
    expect(acceptedDigits(['event', '1', 0], ['info', '1', 50], ['event', '2', 1000], ['info', '2', 1050])).toBe('12');
  });

  it('accepts the first digit of a more reliable source if it differs or comes much later', () => {
    expect(acceptedDigits(['tone', '1', 0], ['event', '2', 100])).toBe('12');
    expect(acceptedDigits(['tone', '1', 0], ['event', '1', 1000])).toBe('11');
  });
});
