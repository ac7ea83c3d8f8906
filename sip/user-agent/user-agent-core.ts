import type { Clock } from '../../base/time/clock.ts';
import type { DialogTable } from '../dialog/dialog-table.ts';
import type { InviteRefusalReason } from '../message/invite-refusal.ts';
import type { SipMessage, SipRequest } from '../message/sip-message.ts';
import type { SourceFilter } from '../source-filter/source-filter.ts';
import type { TransactionTable } from '../transaction/transaction-table.ts';
import type { IsConcealed } from '../transport/concealed-addresses.ts';
import type { TargetResolver } from '../transport/resolve-target.ts';
import type { Hops, Origin } from '../transport/transport-address.ts';
import type { LocalIdentity } from './local-identity.ts';

/** The parts that all user agent code shares. */
export interface UserAgentCore {
  readonly clock: Clock;
  readonly transactions: TransactionTable;
  readonly dialogs: DialogTable;
  readonly identity: LocalIdentity;
  /** Which sources may send requests, and how many. */
  readonly sourceFilter: SourceFilter;
  readonly resolver: TargetResolver;
  readonly isConcealed: IsConcealed;
  /** An unguessable token for tags, branches and Call-IDs. */
  newId(): string;
  /** At least 0, less than 1. For waits that should differ between peers. */
  random(): number;
  /** A session refresh of the server was challenged. Only the application has the credentials to repeat it. */
  refreshChallenged(dialogId: string, method: 'INVITE' | 'UPDATE'): void;
  /** A request was refused without an application. INVITEs are reported. */
  refused(request: SipRequest, origin: Origin, reason: InviteRefusalReason): void;
  /** Sends outside any transaction: the ACK to a 2xx, or a stateless response. */
  send(hops: Hops, message: SipMessage): void;
}
