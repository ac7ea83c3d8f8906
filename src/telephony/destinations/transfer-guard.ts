import type { CallControl, CallControlEvent, TransferRequest } from '../../../engine/ports/call-control.ts';
import type { TransferRuling } from './transfer-policy.ts';

/** Judges a transfer of this leg's call. */
export type JudgeTransfer = (request: TransferRequest) => Promise<TransferRuling>;

/** Decorates a leg: only a judged transfer reaches it. A refused one fails with the reason, and nothing is dialled. */
export function withJudgedTransfers(
  control: CallControl,
  judge: JudgeTransfer,
  onFault: (error: unknown) => void,
): CallControl {
  let onEvent: (event: CallControlEvent) => void = () => {};
  let isOver = false;
  const emit = (event: CallControlEvent): void => {
    if (isOver) return;
    isOver = event.type === 'ended';
    onEvent(event);
  };
  const transfer = async (request: TransferRequest): Promise<void> => {
    const ruling = await judge(request);
    if (ruling.ok) control.transfer(ruling.request);
    else emit({ type: 'transfer_failed', reason: ruling.reason });
  };
  return {
    answer: () => control.answer(),
    hangUp: () => control.hangUp(),
    transfer: (request) => {
      transfer(request).catch((error: unknown) => {
        onFault(error);
        emit({ type: 'transfer_failed', reason: 'the destination could not be checked' });
      });
    },
    onEvent: (listener) => {
      onEvent = listener;
      control.onEvent(emit);
    },
  };
}
