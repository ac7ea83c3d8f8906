import type { Clock } from '../../../base/time/clock.ts';
import type { CallCommand } from '../../core/command.ts';
import type { CallEvent } from '../../core/event.ts';
import type { CallControl, CallControlEvent } from '../../ports/call-control.ts';
import type { TapeEntry } from '../tape-format.ts';
import { firstDifference, type OnDifference } from './request-difference.ts';

/** How long signalling takes to carry out an order that the tape has no outcome of. */
const SIGNALLING_MS = 5;

/** The signalling of a tape: it answers, hangs up and transfers as it did then. */
export interface TapeControl extends CallControl {
  /** Tells as if the network had: held, resumed, the end. */
  tell(event: CallControlEvent): void;
}

export function createTapeControl(
  entries: readonly TapeEntry[],
  clock: Pick<Clock, 'after'>,
  onDifference: OnDifference,
): TapeControl {
  let listener = (_: CallControlEvent): void => {};
  let gone = false;
  let transfers = 0;
  const recordedTransfers = transfersOf(entries);
  const tell = (event: CallControlEvent) => {
    if (gone) return;
    gone = event.type === 'ended';
    listener(event);
  };
  const answeredUs = entries.find(({ event }) => event.type === 'control.answered')?.atUs;
  const answerOrder = ordered(entries, 'call.answer');
  // The other side answers a call of ours by itself.
  if (answeredUs !== undefined && answerOrder === undefined) {
    const offeredUs = entries[0]?.atUs ?? 0;
    clock.after((answeredUs - offeredUs) / 1000, () => tell({ type: 'answered' }));
  }
  return {
    tell,
    answer() {
      const delayMs = outcomeDelayMs(answerOrder, entries, 'control.answered');
      if (answeredUs !== undefined || answerOrder === undefined) clock.after(delayMs, () => tell({ type: 'answered' }));
    },
    hangUp() {
      const delayMs = outcomeDelayMs(ordered(entries, 'call.hang_up'), entries, 'control.ended');
      clock.after(delayMs, () => tell({ type: 'ended', cause: 'local_bye' }));
    },
    transfer(order) {
      const nth = transfers++;
      const recorded = recordedTransfers[nth];
      const difference =
        recorded === undefined
          ? { path: 'end', recorded: undefined, asked: order }
          : firstDifference(recorded.order, order);
      if (difference !== undefined) onDifference({ kind: 'transfer', nth, ...difference });
      if (recorded === undefined) {
        const failed = { type: 'transfer_failed', reason: 'the tape has no further transfer' } as const;
        clock.after(SIGNALLING_MS, () => tell(failed));
      } else if (recorded.outcome !== null) {
        const { event, delayMs } = recorded.outcome;
        clock.after(delayMs, () => tell(event));
      }
    },
    onEvent: (engine) => {
      listener = engine;
    },
  };
}

type TransferOutcome = Extract<CallControlEvent, { readonly type: 'transfer_succeeded' | 'transfer_failed' }>;

function transfersOf(entries: readonly TapeEntry[]) {
  return entries.flatMap(({ atUs, seq, commands }) =>
    commands
      .filter((command): command is Extract<CallCommand, { type: 'call.transfer' }> => command.type === 'call.transfer')
      .map(({ order }) => {
        const end = entries.find((later) => later.seq > seq && later.event.type.startsWith('control.transfer_'));
        const event = end === undefined ? null : transferOutcome(end);
        return { order, outcome: event && end ? { event, delayMs: (end.atUs - atUs) / 1000 } : null };
      }),
  );
}

function transferOutcome({ event }: TapeEntry): TransferOutcome | null {
  if (event.type === 'control.transfer_succeeded') return { ...event, type: 'transfer_succeeded' };
  if (event.type === 'control.transfer_failed') return { ...event, type: 'transfer_failed' };
  return null;
}

function ordered(entries: readonly TapeEntry[], type: CallCommand['type']): TapeEntry | undefined {
  return entries.find(({ commands }) => commands.some((command) => command.type === type));
}

function outcomeDelayMs(order: TapeEntry | undefined, entries: readonly TapeEntry[], type: CallEvent['type']): number {
  const outcome = entries.find(({ seq, event }) => order !== undefined && seq > order.seq && event.type === type);
  return order === undefined || outcome === undefined ? SIGNALLING_MS : (outcome.atUs - order.atUs) / 1000;
}
