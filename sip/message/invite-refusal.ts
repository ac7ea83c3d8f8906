import { getHeader } from './headers.ts';
import { parseNameAddress } from './name-address.ts';
import { numberOrName } from './number-or-name.ts';
import type { SipRequest } from './sip-message.ts';

/** Why the SIP layer refused an INVITE. */
export interface InviteRefusalReason {
  /** `unavailable`: no handler takes INVITEs. `overloaded`: there are as many dialogs as there may be. */
  readonly cause: 'invalid_request' | 'unavailable' | 'overloaded' | 'internal_error';
  readonly status: number;
  /** A constant text. */
  readonly detail: string;
}

/** An INVITE that the SIP layer refused itself, as plain data. */
export interface InviteRefusal extends InviteRefusalReason {
  /** The number or name in From; '' if there is none. */
  readonly caller: string;
  /** The number or name in the Request-URI; '' if there is none. */
  readonly dialled: string;
  readonly source: InviteSource;
}

export interface InviteSource {
  readonly address: string;
  readonly port: number;
  readonly transport: string;
}

export function inviteRefusal(
  { headers, uri }: Pick<SipRequest, 'headers' | 'uri'>,
  { address, port, transport }: InviteSource,
  reason: InviteRefusalReason,
): InviteRefusal {
  return {
    ...reason,
    caller: numberOrName(parseNameAddress(getHeader(headers, 'From') ?? '')?.uri ?? ''),
    dialled: numberOrName(uri),
    source: { address, port, transport },
  };
}
