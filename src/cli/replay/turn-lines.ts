import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';

/** The turns of a tape, one line each. */
export function turnLines(entries: readonly TapeEntry[]): readonly string[] {
  const records = new Map<number, TurnRecord>();
  for (const { commands } of entries) {
    for (const command of commands) {
      if (command.type === 'journal.write' && command.entry.type === 'turn')
        records.set(command.entry.record.turn, command.entry.record);
    }
  }
  return [...records.values()].map(turnLine);
}

/** Times in ms since the end of the user's speech, or since the begin of speech that answers no user turn. */
function turnLine(record: TurnRecord): string {
  const { user } = record;
  const parts = [
    user === null ? 'agent' : `user, ended by ${user.endedBy}${judgement(user)} ${user.endedMs}`,
    ...(record.askedMs.length === 0 ? [] : [`asked ${record.askedMs.join(', ')}`]),
    ...stage('first token', record.firstTokenMs),
    ...(user === null ? [] : [`committed ${user.committedMs}`]),
    ...stage('first audio', record.firstAudioMs),
    ...(record.heardMs === null ? ['not heard'] : [`heard ${record.heardMs}`]),
    ...(record.answerHeardMs === record.heardMs ? [] : stage('answer', record.answerHeardMs)),
    ...record.tools.map(({ name, startedMs, endedMs }) => `tool ${name} ${startedMs} to ${endedMs ?? '…'}`),
    ...counts(record),
  ];
  return `${String(record.turn).padStart(4)}  ${(record.startUs / 1e6).toFixed(3).padStart(8)} s  ${parts.join('; ')}`;
}

function judgement({ score, reasons }: NonNullable<TurnRecord['user']>): string {
  return score === null ? '' : ` (${score}: ${reasons.join(', ')})`;
}

function stage(name: string, ms: number | null): readonly string[] {
  return ms === null ? [] : [`${name} ${ms}`];
}

function counts(record: TurnRecord): readonly string[] {
  const { user } = record;
  const counted: readonly (readonly [string, number])[] = [
    ['reopened', user?.reopened ?? 0],
    ['amended', user?.amended ?? 0],
    ['corrected', Number(user?.corrected ?? false)],
    ['interrupted', Number(record.interrupted)],
    ['false interruptions', record.falseInterruptions],
    ['ducked', record.ducked],
    ['echo words', record.echoWords],
    ['fillers', record.fillersMs.length],
  ];
  return counted.flatMap(([name, count]) => (count === 0 ? [] : [`${name} ${count}`]));
}
