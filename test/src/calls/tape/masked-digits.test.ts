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
const key = (digit: string, timer?: Timer) => entry({ type: 'media.dtmf', digit, durationMs: 100 }, timer);
const other = () => entry({ type: 'transcriber.ready' });

const masked = () => new MaskedDigits((text) => text.replaceAll('12', '00'));

it('entries during a DTMF entry wait for its last digit', () => {
  const keys = masked();
  const given = [key('1', 'timer.start'), other(), key('2', 'timer.start'), key('#', 'timer.stop')];
  const written = given.map((one) => keys.take(one));
  expect(written.map(({ length }) => length)).toEqual([0, 0, 0, 4]);
  expect(written.flat().map(({ event }) => (event.type === 'media.dtmf' ? event.digit : ''))).toEqual([
    '0',
    '',
    '0',
    '#',
  ]);
  expect(keys.take(other())).toHaveLength(1);
});

it('a digit that forms no entry delays nothing: a lone terminator, or one during a bridge', () => {
  const keys = masked();
  expect(keys.take(key('#'))).toHaveLength(1);
  expect(keys.take(other())).toHaveLength(1);
});
