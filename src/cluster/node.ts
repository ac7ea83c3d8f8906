import type { LiveRequest } from '../../engine/core/event.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import type { ReportSubject } from '../storage/cluster/node-report-repository.ts';
import type { Database } from '../storage/database/database.ts';
import type { Repositories } from '../storage/repositories.ts';
import type { AnswerQuestion, NodeQuestion } from './node-questions.ts';
import type { NodeReport, OwnReport } from './node-reports.ts';
import type { SharedUsage } from './shared-usage.ts';

/** Actions of this node on notifications and for dead nodes. */
export interface NodeDuties {
  /** Another node stored data, or this node became the leader. Null: any call may have new events. */
  readonly wake: (callIds: readonly string[] | null) => void;
  /** Ends a call of this node. */
  readonly terminate: (callId: string) => Promise<unknown>;
  /** Whether a call runs on this node. */
  readonly isLive: (callId: string) => boolean;
  /** Passes a request to a call of this node. */
  readonly post: (callId: string, request: LiveRequest) => unknown;
  /** The lease is about to expire: ends all calls of this node. */
  readonly endCalls: () => void;
  /** The lease had expired: ends the calls that other nodes have closed. */
  readonly endAdopted: () => Promise<void>;
  /** Closes a call of a dead node. */
  readonly closeOrphaned: (call: CallRecord) => Promise<unknown>;
  /** Ends expired staged calls of all nodes. */
  readonly expireStaged: () => Promise<unknown>;
  /** Registers the trunks if this node leads, and no others. */
  readonly syncRegistrations: () => Promise<void>;
  /** Another node changed trunks. */
  readonly reloadTrunks: () => Promise<unknown>;
  /** What this node sees of trunks and providers. */
  readonly reports: () => readonly OwnReport[];
}

/** Outcome of a request to end a call of another node. `not_elsewhere`: the call belongs to this node or to none. */
export type EndOutcome = 'ended' | 'not_ended' | 'not_elsewhere';

/** Outcome of a request to a call: accepted, the call is not in progress, or its node did not accept it in time. */
export type PostOutcome = 'posted' | 'not_in_progress' | 'not_taken';

/** The SIP messages of a call as text, a started capture, its file, or its deletion. */
export type TraceKind = 'ladder' | 'capture' | 'pcap' | 'forget';

/** This process, as one of several nodes on the same database. */
export interface ThisNode {
  /** null on SQLite, which has a single node. */
  readonly id: string | null;
  readonly database: Database;
  /** Return background work only while this node is the leader. */
  readonly repositories: Repositories;
  /** Whether the lease is certain to last until calls of this node could be ended. Always on SQLite. */
  holdsLease(): boolean;
  /** Whether this node runs the work that one node does for all. Always on SQLite. */
  leads(): boolean;
  /** Whether no other node has a lease. */
  isAlone(): Promise<boolean>;
  /** The calls of the other nodes over trunks with a limit. */
  readonly trunkUsage: Pick<SharedUsage, 'ofOthers' | 'reportCalls'>;
  /** Starts listening to notifications. */
  join(duties: NodeDuties): Promise<void>;
  /** Schedules a notification of the other nodes that a call has new data; cheap. Null: any call may have some. */
  notifyStored(callId: string | null): void;
  /** Schedules a notification that trunks were changed; cheap. */
  notifyTrunks(): void;
  /** Asks another node to end its call, and waits for its end for some seconds. */
  endElsewhere(call: CallRecord): Promise<EndOutcome>;
  /** Passes a request to a call of another node. */
  postElsewhere(call: CallRecord, request: LiveRequest): Promise<PostOutcome>;
  /** The trace of a call that another node has in memory; null without one. `not_taken`: that node did not answer in time. */
  traceElsewhere(call: Pick<CallRecord, 'id' | 'nodeId'>, trace: TraceKind): Promise<Uint8Array | null | 'not_taken'>;
  /** The answers of all other nodes that have something, parsed from JSON. A node that does not answer in time is left out. */
  askOthers(question: NodeQuestion): Promise<readonly unknown[]>;
  /** Answers the questions of other nodes about a subject from now on. */
  answer(subject: NodeQuestion['subject'], answer: AnswerQuestion): void;
  /** What the other nodes see. `keys` absent: of all. Rejects with a `DatabaseError`. */
  reportsOfOthers(subject: ReportSubject, keys?: readonly string[]): Promise<readonly NodeReport[]>;
  /** What this node sees of a trunk has changed: other nodes learn of it soon. */
  reportSoon(): void;
  /** Leaves the leader's work to another node, if there is one. The first step of a shutdown. */
  resign(): Promise<void>;
  /** Releases the lease and closes the database. The last step of a shutdown. */
  close(): Promise<void>;
}
