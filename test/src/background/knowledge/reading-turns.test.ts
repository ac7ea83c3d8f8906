import { describe, expect, it } from 'vitest';
import { ReadingTurns } from '../../../../src/background/knowledge/reading-turns.ts';

describe('the turns of organizations', () => {
  it('belong to the one that has used least reading time, then to the one that has waited longest', () => {
    const turns = new ReadingTurns();
    expect(turns.next(['a', 'b'])).toBe('a');
    turns.used('a', 60_000);
    expect(turns.next(['a', 'b'])).toBe('b');
    turns.used('b', 1_000);
    expect(turns.next(['a', 'b'])).toBe('b');
    turns.used('b', 59_000);
    expect(turns.next(['a', 'b'])).toBe('a');
    expect(turns.next([])).toBeNull();
  });

  it('give no credit for time without waiting sources', () => {
    const turns = new ReadingTurns();
    turns.next(['a']);
    turns.used('a', 60_000);
    expect(turns.next(['a'])).toBe('a');
    turns.used('a', 10_000);
    expect(turns.next(['a', 'b'])).toBe('b');
    turns.used('b', 10_001);
    expect(turns.next(['a', 'b'])).toBe('a');
  });

  it('are not reset by adding sources one at a time', () => {
    const turns = new ReadingTurns();
    expect(turns.next(['a', 'b'])).toBe('a');
    turns.used('a', 60_000);
    expect(turns.next(['b'])).toBe('b');
    turns.used('b', 1_000);
    expect(turns.next(['a', 'b'])).toBe('b');
  });
});
