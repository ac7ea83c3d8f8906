import { expect, it } from 'vitest';
import { percent } from '../../console/src/format/percent.ts';
import { de } from '../../console/src/i18n/de.ts';
import { dayBars, dayShare } from '../../console/src/telephony/reachability-day.ts';
import { trunkFault } from '../../console/src/telephony/trunk-fault.ts';
import { NO_ANSWER } from '../../sip/signalling/no-answer.ts';

const NOW_MS = Date.parse('2026-11-23T10:10:00.000Z');

function interval(time: string, checks: number, reachable: number) {
  return { start_time: `2026-11-23T${time}:00.000Z`, checks, reachable, round_trip_ms: null };
}

it('the last day of a trunk has a bar for each half hour, also for those without a check', () => {
  const bars = dayBars([interval('08:30', 3, 3), interval('09:30', 3, 1), interval('10:00', 2, 0)], NOW_MS);
  expect(bars).toHaveLength(48);
  expect(bars.slice(-4).map(({ state }) => state)).toEqual(['all', 'none', 'some', 'never']);
  expect(bars.at(-1)).toMatchObject({ startMs: Date.parse('2026-11-23T10:00:00.000Z'), share: 0 });
});

it('a share is never rounded up to all', () => {
  expect(dayShare([interval('08:30', 9_999, 9_998), interval('09:00', 1, 1)])).toBe(0.9999);
  expect(dayShare([])).toBeNull();
  expect([percent(0.9999, 'en'), percent(1, 'en'), percent(0.5, 'en')]).toEqual(['99.9%', '100%', '50%']);
});

it('a trunk without an answer says so in the language of the page', () => {
  expect(trunkFault(NO_ANSWER, de)).toBe('keine Antwort');
  expect(trunkFault('connect ECONNREFUSED 192.0.2.1:5060', de)).toBe('connect ECONNREFUSED 192.0.2.1:5060');
});
