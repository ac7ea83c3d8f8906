import type { OwnListener } from '../../base/network/address-policy.ts';
import type { Credentials } from '../authentication/digest-response.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import type { InviteRefusal } from '../message/invite-refusal.ts';
import type { AllowedSources } from '../source-filter/source-filter.ts';
import type { TlsSettings } from '../transport/tls-stream.ts';
import type { TraceEntry } from '../transport/trace-entry.ts';
import type { SipAddress } from '../transport/transport-address.ts';
import type { ServerLimits } from './server-limits.ts';
import type { ServerStatistics } from './server-statistics.ts';

/** The worker's start data. */
export interface ServerWorkerOptions {
  readonly bindAddress: string;
  readonly port: number;
  readonly externalAddress: string | null;
  readonly localNetworks: readonly string[];
  readonly tls: TlsSettings;
  readonly secret: string;
  readonly limits: ServerLimits;
  readonly sources: AllowedSources;
  readonly targetNetworks: readonly string[];
  /** null: no address is concealed. */
  readonly revealedNetworks: readonly string[] | null;
  readonly heartbeat: SharedArrayBuffer;
}

/** From the main thread. The report of the result repeats `id`. */
export type ServerWorkerCommand =
  | {
      readonly type: 'end_orphan';
      readonly id: number;
      readonly recovery: DialogRecovery;
      readonly credentials: Credentials | null;
    }
  | { readonly type: 'statistics'; readonly id: number }
  | { readonly type: 'trace'; readonly on: boolean }
  | { readonly type: 'reload_tls'; readonly id: number }
  | { readonly type: 'sources'; readonly sources: AllowedSources }
  | { readonly type: 'other_listeners'; readonly listeners: readonly OwnListener[] }
  | { readonly type: 'close' };

/** To the main thread. */
export type ServerWorkerReport =
  | {
      readonly type: 'started';
      readonly host: string;
      readonly port: number;
      readonly addresses: readonly SipAddress[];
    }
  | { readonly type: 'failed'; readonly reason: string }
  | {
      readonly type: 'dialog';
      readonly id: string;
      readonly sipCallId: string;
      readonly recovery: DialogRecovery | null;
    }
  | { readonly type: 'refresh_challenged'; readonly id: string; readonly method: 'INVITE' | 'UPDATE' }
  | {
      readonly type: 'connection_lost';
      readonly transport: string;
      readonly address: string;
      readonly port: number;
    }
  | { readonly type: 'invite_refused'; readonly refusal: InviteRefusal }
  | { readonly type: 'orphan_ended'; readonly id: number }
  | { readonly type: 'statistics'; readonly id: number; readonly statistics: ServerStatistics }
  /** `error` null: success. */
  | { readonly type: 'tls_reloaded'; readonly id: number; readonly error: string | null }
  | { readonly type: 'trace'; readonly entry: TraceEntry }
  | { readonly type: 'closed' };
