import { getHeaderLines } from '../message/headers.ts';
import { formatReason } from '../message/reason.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import type { TransactionFailure } from '../transaction/state-machine.ts';
import type { Hop, Origin } from '../transport/transport-address.ts';

export type LocalFinalCause = TransactionFailure | 'silence' | 'cancelled';

/**
 * The final response for the application when the network sent none (RFC 3261 §8.1.3.1). `detail`, for people, is in its Reason.
 */
export function localFinalResponse(request: SipRequest, cause: LocalFinalCause, detail: string): SipResponse {
  const headers = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].flatMap((name) =>
    getHeaderLines(request.headers, name).map((value) => ({ name, value })),
  );
  const [status, reason] = STATUS_LINES[cause];
  const explained = [...headers, { name: 'Reason', value: formatReason(status, detail) }];
  return { kind: 'response', status, reason, headers: explained, body: new Uint8Array(0) };
}

/** The origin of a local response: the hop of its request. */
export function localOrigin(hop: Hop): Origin {
  return { ...hop, localAddress: '', localPort: 0 };
}

const STATUS_LINES: Record<LocalFinalCause, readonly [number, string]> = {
  timeout: [408, 'Request Timeout'],
  transport: [503, 'Service Unavailable'],
  // Not 408, which would mean that the callee did not answer.
  silence: [503, 'No Response'],
  cancelled: [487, 'Request Terminated'],
};
