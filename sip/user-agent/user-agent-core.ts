import type { Clock } from '../../base/time/clock.ts';
import type { DialogTable } from '../dialog/dialog-table.ts';
import type { SipMessage } from '../message/sip-message.ts';
import type { SourcePolicy } from '../source-policy/source-policy.ts';
import type { TransactionTable } from '../transaction/transaction-table.ts';
import type { TargetResolver } from '../transport/resolve-target.ts';
import type { Hops } from '../transport/transport-address.ts';
import type { LocalIdentity } from './local-identity.ts';

/** The parts that all user agent code shares. */
export interface UserAgentCore {
  readonly clock: Clock;
  readonly transactions: TransactionTable;
  readonly dialogs: DialogTable;
  readonly identity: LocalIdentity;
  /** Which sources may send requests, and how many. */
  readonly sourcePolicy: SourcePolicy;
  readonly resolver: TargetResolver;
  /** Unguessable, and a token: for tags, branches and Call-IDs. */
  newId(): string;
  /** At least 0, less than 1: for waits that two peers should not share. */
  random(): number;
  /** A refresh of the server's own was challenged: only the application has credentials to send it again with. */
  refreshChallenged(dialogId: string, method: 'INVITE' | 'UPDATE'): void;
  /** Outside any transaction: the ACK to a 2xx. */
  send(hops: Hops, message: SipMessage): void;
}
