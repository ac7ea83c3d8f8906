import type { CallControl, CallControlEvent, TransferRequest } from '../../../engine/ports/call-control.ts';
import { checkCustomHeaders } from '../../../sip/message/custom-headers.ts';
import type { DestinationPolicy } from './destination-policy.ts';

/** Decorates a leg: a transfer that the policy refuses fails with the reason, and nothing is dialled. */
export function withDestinationPolicy(control: CallControl, policy: DestinationPolicy): CallControl {
  let emit: (event: CallControlEvent) => void = () => {};
  return {
    answer: () => control.answer(),
    hangUp: () => control.hangUp(),
    transfer: (request) => {
      const reason = refusalOf(request, policy);
      if (reason === null) control.transfer(request);
      else emit({ type: 'transfer_failed', reason });
    },
    onEvent: (listener) => {
      emit = listener;
      control.onEvent(listener);
    },
  };
}

function refusalOf({ destination, headers }: TransferRequest, policy: DestinationPolicy): string | null {
  const refusal = policy(destination);
  if (refusal !== null) return `the destination is not dialled: ${refusal}`;
  const check = checkCustomHeaders(headers);
  if (check.ok) return null;
  return `its headers are not allowed: ${check.faults.map(({ field, message }) => `${field ?? 'all'} ${message}`).join(', ')}`;
}
