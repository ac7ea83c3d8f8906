import { describe, expect, it } from 'vitest';
import { DtmfDeduplicator, type DtmfSource } from '../../../../sip/rtp/dtmf/dtmf-deduplicator.ts';

/** The digits that count of keys that come in these ways at these times. */
function taken(...keys: (readonly [DtmfSource, string, number])[]): string {
  const ways = new DtmfDeduplicator();
  return keys
    .filter(([way, digit, atMs]) => ways.take(way, digit, atMs))
    .map(([, digit]) => digit)
    .join('');
}

describe('the ways in which keys come', () => {
  it('let each key of one way through, the same digit twice too', () => {
    for (const way of ['event', 'info', 'tone'] as const) {
      expect(taken([way, '1', 0], [way, '1', 300], [way, '2', 600])).toBe('112');
    }
  });

  it('count a key once that comes as an event and leaks as a tone, whichever is told first', () => {
    expect(taken(['event', '5', 0], ['tone', '5', 20], ['event', '5', 400], ['tone', '5', 420])).toBe('55');
    expect(taken(['tone', '5', 0], ['event', '5', 20], ['tone', '5', 400], ['event', '5', 420])).toBe('55');
  });

  it('count a key once that comes as a tone and an INFO, or an INFO and an event', () => {
    expect(taken(['tone', '1', 0], ['info', '1', 600], ['tone', '2', 1000], ['info', '2', 1600])).toBe('12');
    expect(taken(['info', '1', 0], ['event', '1', 50], ['info', '2', 1000], ['event', '2', 1050])).toBe('12');
    expect(taken(['event', '1', 0], ['info', '1', 50], ['event', '2', 1000], ['info', '2', 1050])).toBe('12');
  });

  it('take the key with which a surer way begins, where it is another or comes much later', () => {
    expect(taken(['tone', '1', 0], ['event', '2', 100])).toBe('12');
    expect(taken(['tone', '1', 0], ['event', '1', 1000])).toBe('11');
  });
});
