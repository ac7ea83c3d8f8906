import type { Clock } from '../../../base/time/clock.ts';
import type { CallCommand } from '../../core/command.ts';
import type { CallEvent } from '../../core/event.ts';
import type { CallControl, CallControlEvent } from '../../ports/call-control.ts';
import type { TapeEntry } from '../tape-format.ts';
import { firstDifference, type OnDifference } from './request-difference.ts';

/** Delay of a signalling outcome that the tape does not contain. */
const SIGNALLING_MS = 5;

/** The signalling of a re-simulated call. Outcomes and their delays are those of the tape. */
export interface TapeControl extends CallControl {
  /** Emits an event of the network: on hold, off hold, the end of the call. */
  emit(event: CallControlEvent): void;
}

export function createTapeControl(
  entries: readonly TapeEntry[],
  clock: Pick<Clock, 'after'>,
  onDifference: OnDifference,
): TapeControl {
  let listener = (_: CallControlEvent): void => {};
  let hasEnded = false;
  let transfers = 0;
  const recordedTransfers = transfersOf(entries);
  const emit = (event: CallControlEvent) => {
    if (hasEnded) return;
    hasEnded = event.type === 'ended';
    listener(event);
  };
  const answeredUs = entries.find(({ event }) => event.type === 'control.answered')?.atUs;
  const recordedAnswer = entryWithCommand(entries, 'call.answer');
  // On an outbound call the callee answers without a command of ours.
  if (answeredUs !== undefined && recordedAnswer === undefined) {
    const offeredUs = entries[0]?.atUs ?? 0;
    clock.after((answeredUs - offeredUs) / 1000, () => emit({ type: 'answered' }));
  }
  return {
    emit,
    answer() {
      const delayMs = outcomeDelayMs(recordedAnswer, entries, 'control.answered');
      if (answeredUs !== undefined || recordedAnswer === undefined) {
        clock.after(delayMs, () => emit({ type: 'answered' }));
      }
    },
    hangUp() {
      const delayMs = outcomeDelayMs(entryWithCommand(entries, 'call.hang_up'), entries, 'control.ended');
      clock.after(delayMs, () => emit({ type: 'ended', cause: 'local_bye' }));
    },
    transfer(request) {
      const index = transfers++;
      const recorded = recordedTransfers[index];
      const difference =
        recorded === undefined
          ? { path: 'end', recorded: undefined, actual: request }
          : firstDifference(recorded.request, request);
      if (difference !== undefined) onDifference({ kind: 'transfer', index, ...difference });
      if (recorded === undefined) {
        const failed = { type: 'transfer_failed', reason: 'the tape has no further transfer' } as const;
        clock.after(SIGNALLING_MS, () => emit(failed));
      } else if (recorded.outcome !== null) {
        const { event, delayMs } = recorded.outcome;
        clock.after(delayMs, () => emit(event));
      }
    },
    onEvent: (engine) => {
      listener = engine;
    },
  };
}

type TransferOutcome = Extract<CallControlEvent, { readonly type: 'transfer_succeeded' | 'transfer_failed' }>;

/** The recorded transfers, each with its outcome. */
function transfersOf(entries: readonly TapeEntry[]) {
  return entries.flatMap(({ atUs, seq, commands }) =>
    commands
      .filter((command): command is Extract<CallCommand, { type: 'call.transfer' }> => command.type === 'call.transfer')
      .map(({ request }) => {
        const end = entries.find((later) => later.seq > seq && later.event.type.startsWith('control.transfer_'));
        const event = end === undefined ? null : transferOutcome(end);
        return { request, outcome: event && end ? { event, delayMs: (end.atUs - atUs) / 1000 } : null };
      }),
  );
}

function transferOutcome({ event }: TapeEntry): TransferOutcome | null {
  if (event.type === 'control.transfer_succeeded') return { ...event, type: 'transfer_succeeded' };
  if (event.type === 'control.transfer_failed') return { ...event, type: 'transfer_failed' };
  return null;
}

/** The first entry with a command of this type. */
function entryWithCommand(entries: readonly TapeEntry[], type: CallCommand['type']): TapeEntry | undefined {
  return entries.find(({ commands }) => commands.some((command) => command.type === type));
}

/** The recorded time from a command to the first event of this type. */
function outcomeDelayMs(
  commanded: TapeEntry | undefined,
  entries: readonly TapeEntry[],
  type: CallEvent['type'],
): number {
  const outcome = entries.find(
    ({ seq, event }) => commanded !== undefined && seq > commanded.seq && event.type === type,
  );
  return commanded === undefined || outcome === undefined ? SIGNALLING_MS : (outcome.atUs - commanded.atUs) / 1000;
}
