import { expect, it } from 'vitest';
import type { TapeEntry } from '../../../../engine/tape/tape-format.ts';
import { MaskedDigits } from '../../../../src/calls/tape/masked-digits.ts';

type Timer = 'timer.start' | 'timer.stop';

let seq = 0;
const entry = (event: TapeEntry['event'], timer?: Timer): TapeEntry => ({
  seq: seq++,
  atUs: 0,
  event,
  commands: timer === undefined ? [] : [timer === 'timer.start' ? STARTED : STOPPED],
});
const STARTED = { type: 'timer.start', timer: 'dtmf_entry', delayMs: 2_000 } as const;
const STOPPED = { type: 'timer.stop', timer: 'dtmf_entry' } as const;
const digitEntry = (digit: string, timer?: Timer) => entry({ type: 'media.dtmf', digit, durationMs: 100 }, timer);
const otherEntry = () => entry({ type: 'transcriber.ready' });

const createMaskedDigits = () => new MaskedDigits((text) => text.replaceAll('12', '00'));

it('entries during a DTMF entry wait for its last digit', () => {
  const maskedDigits = createMaskedDigits();
  const entries = [
    digitEntry('1', 'timer.start'),
    otherEntry(),
    digitEntry('2', 'timer.start'),
    digitEntry('#', 'timer.stop'),
  ];
  const written = entries.map((recorded) => maskedDigits.take(recorded));
  expect(written.map(({ length }) => length)).toEqual([0, 0, 0, 4]);
  expect(written.flat().map(({ event }) => (event.type === 'media.dtmf' ? event.digit : ''))).toEqual([
    '0',
    '',
    '0',
    '#',
  ]);
  expect(maskedDigits.take(otherEntry())).toHaveLength(1);
});

it('a digit that starts no DTMF entry delays nothing, for example a single terminator', () => {
  const maskedDigits = createMaskedDigits();
  expect(maskedDigits.take(digitEntry('#'))).toHaveLength(1);
  expect(maskedDigits.take(otherEntry())).toHaveLength(1);
});
