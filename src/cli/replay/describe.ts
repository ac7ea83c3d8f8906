import type { Divergence } from '../../../engine/tape/exact-replay.ts';
import type { RequestDifference } from '../../../engine/tape/re-simulation/request-difference.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import { lineDiff } from './line-diff.ts';

/** Different requests shown in full. Further ones are counted. */
const DIFFERENCES_SHOWN_MAX = 10;
const EVENT_SHOWN_CHARACTERS_MAX = 200;
const KINDS = {
  reply: 'reply of the model',
  extraction: 'extraction',
  segment: 'segment of the voice',
  tool: 'function',
  search: 'search of knowledge',
  transfer: 'transfer',
} as const satisfies Record<RequestDifference['kind'], string>;

/** The first divergence of an exact replay: the events before it, then both commands. */
export function describeDivergence({ command, expected, actual, leadingUp }: Divergence): readonly string[] {
  return [
    ...leadingUp.map(entryLine),
    `command ${command} of the last one:`,
    ...(expected === null ? ['- (no further command)'] : []),
    ...(actual === null ? ['+ (no further command)'] : []),
    ...lineDiff(jsonLines(expected), jsonLines(actual)),
  ];
}

/** The requests that differ from the recorded ones. */
export function describeDifferences(differences: readonly RequestDifference[]): readonly string[] {
  const left = differences.length - DIFFERENCES_SHOWN_MAX;
  return [
    ...differences
      .slice(0, DIFFERENCES_SHOWN_MAX)
      .flatMap(({ kind, index, path, recorded, actual }) => [
        path === 'end'
          ? `${KINDS[kind]} ${index + 1}: the tape does not hold it`
          : `${KINDS[kind]} ${index + 1} was asked for otherwise${path === '' ? '' : `, at ${path}`}:`,
        ...(path === 'end' ? [] : lineDiff(jsonLines(recorded), jsonLines(actual))),
      ]),
    ...(left > 0 ? [`and ${left} more requests that are not the tape's`] : []),
  ];
}

export function entryLine({ seq, atUs, event }: TapeEntry): string {
  const text = JSON.stringify(event);
  const shown = text.length > EVENT_SHOWN_CHARACTERS_MAX ? `${text.slice(0, EVENT_SHOWN_CHARACTERS_MAX)}…` : text;
  return `${String(seq).padStart(6)}  ${(atUs / 1e6).toFixed(3).padStart(8)} s  ${shown}`;
}

/** Texts keep their lines; other values become indented JSON with sorted keys. */
function jsonLines(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return value.split('\n');
  return JSON.stringify(value, inOrder, 2).split('\n');
}

function inOrder(_key: string, value: unknown): unknown {
  const isRecord = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isRecord ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
}
