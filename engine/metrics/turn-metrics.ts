import type { CallMetrics, Percentiles } from '../ports/journal.ts';
import type { TurnRecord } from '../ports/turn-record.ts';
import { type TurnTimes, turnTimes } from './turn-times.ts';

/** The metrics of a call that follow from the records of its turns. */
export type TurnMetrics = Pick<
  CallMetrics,
  | 'interruptions'
  | 'falseInterruptions'
  | 'ducked'
  | 'echoWords'
  | 'reopened'
  | 'amended'
  | 'endpointingMs'
  | 'llmFirstTokenMs'
  | 'voiceFirstAudioMs'
  | 'engineMs'
  | 'responseMs'
>;

/** Pure. `turns`: one record for each turn. */
export function turnMetrics(turns: readonly TurnRecord[]): TurnMetrics {
  const sum = (count: (record: TurnRecord) => number) => turns.reduce((total, record) => total + count(record), 0);
  const measured = turns.filter(({ user }) => user !== null).map(turnTimes);
  return {
    interruptions: sum(({ interrupted }) => Number(interrupted)),
    falseInterruptions: sum(({ falseInterruptions }) => falseInterruptions),
    ducked: sum(({ ducked }) => ducked),
    echoWords: sum(({ echoWords }) => echoWords),
    reopened: sum(({ user }) => user?.reopened ?? 0),
    amended: sum(({ user }) => user?.amended ?? 0),
    endpointingMs: percentilesOf(measured, 'endpointingMs'),
    llmFirstTokenMs: percentilesOf(measured, 'llmFirstTokenMs'),
    voiceFirstAudioMs: percentilesOf(measured, 'voiceFirstAudioMs'),
    engineMs: percentilesOf(measured, 'engineMs'),
    responseMs: percentilesOf(measured, 'responseMs'),
  };
}

function percentilesOf(measured: readonly TurnTimes[], metric: keyof TurnTimes): Percentiles {
  const sorted = measured.flatMap(({ [metric]: value }) => (value === null ? [] : [value])).toSorted((a, b) => a - b);
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { median: rank(0.5), p95: rank(0.95) };
}
