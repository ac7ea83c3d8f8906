import type { Clock } from '../../../base/time/clock.ts';
import type { CallControl } from '../../../engine/ports/call-control.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { RtpMediaSessionOptions } from '../../../sip/media/media-service.ts';
import type { Log } from '../../log/log.ts';
import type { LogFields } from '../../log/log-event-catalogue.ts';
import type { TraceContext } from '../../observability/opentelemetry/trace-context.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import type { JournalRepository } from '../../storage/calls/journal-repository.ts';
import { isFinal } from '../../storage/schema/call-status.ts';
import { withJudgedTransfers } from '../../telephony/destinations/transfer-guard.ts';
import type { TransferPolicy } from '../../telephony/destinations/transfer-policy.ts';
import type { LoadedAgent } from '../agents/agent-cache.ts';
import { activityNamed, type CallActivity } from '../api-requests/call-activity.ts';
import type { CallHost, HostEvent } from '../host/call-host.ts';
import type { WebCallMedia } from '../host/web-media-access.ts';
import { CallWriter } from '../journal/call-writer.ts';
import { JournalGathering } from '../journal/journal-gathering.ts';
import type { DialogOptions } from '../legs/dialog-leg.ts';
import { recordingPathOf } from '../recording/recording-path.ts';
import { recordingReady } from '../recording/recording-ready-event.ts';
import type { PriceTable } from '../usage/price-table.ts';
import { logCallStart, logTransfer } from './call-log-lines.ts';
import { HostedCall } from './hosted-call.ts';
import type { HostedRtpMedia } from './hosted-media.ts';
import { type LiveCall, NODE_LOST } from './live-call.ts';
import type { MediaReservations } from './media-reservations.ts';

export interface LiveCallsOptions {
  readonly calls: Pick<CallRepository, 'find' | 'setStatus' | 'finish' | 'update' | 'storeRecording' | 'adopted'>;
  readonly journal: Pick<JournalRepository, 'appendJournal'>;
  readonly host: CallHost;
  readonly reservations: MediaReservations;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly transferPolicy: Pick<TransferPolicy, 'judge'>;
  /** The operator's prices for the usage of a call. */
  readonly prices: PriceTable;
  /** The log of one call. */
  readonly log: (callId: string) => Log;
  /** URL of the recording of a call. */
  readonly recordingUrl: (call: CallRecord) => string;
  /** Events of a call may be due for delivery. */
  readonly onStored: (callId: string) => void;
  /** The trace of a call; null without traces. */
  readonly traceOf: (call: CallRecord) => TraceContext | null;
  /** A call has ended, and all of its data is on the disk. */
  readonly onEnded: (callId: string) => void;
  /** The SIP server exited under this dialog: its peer still waits for a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
}

export interface Launch {
  readonly call: CallRecord;
  readonly agent: LoadedAgent;
  /** The dynamic variables that the caller wrote. Absent: none. */
  readonly untrustedVariables?: readonly string[];
  /** How the call reaches its user, for the log. */
  readonly route: Pick<LogFields['call started'], 'leg' | 'trunk_id'>;
  /** See `CallParameters`. */
  readonly isSourceUntrusted?: boolean;
  /** Called with each journal entry as it is written, and the wall clock at engine time 0; it must not throw. */
  readonly observe?: (entry: JournalEntry, startedWallMs: number) => void;
  /** Creates the leg. */
  readonly leg: (reports: LegReports) => CallControl;
}

/**
 * The reports of a leg to its call besides its events. `onRedirected`: by the callee of an outbound call, or of a bridge.
 */
export type LegReports = Pick<DialogOptions, 'onDialog' | 'onBridgedDialog' | 'onRedirected' | 'onLost'>;

/** Starts calls in the host, and lists the calls in progress. */
export class LiveCalls {
  readonly #options: LiveCallsOptions;
  readonly #gathering = new JournalGathering();
  readonly #live = new Map<string, LiveCall>();
  /** Calls that the host runs, until it has closed them. */
  readonly #hosted = new Map<string, HostedCall>();
  /** Calls whose `launch` is in progress. */
  #launching = 0;

  constructor(options: LiveCallsOptions) {
    this.#options = options;
    options.host.onEvent((event) => this.#receive(event));
  }

  get byId(): ReadonlyMap<string, LiveCall> {
    return this.#live;
  }

  /** The number of live calls without those that are being launched. */
  get launched(): number {
    return this.#live.size - this.#launching;
  }

  /** The current activity of each call of the organization on this node that has an engine, by call id. */
  async activities(organizationId: string): Promise<ReadonlyMap<string, CallActivity>> {
    const hosted = await this.#options.host.activities();
    return new Map(
      hosted.flatMap(({ callId, agentState, state }) => {
        const activity = activityNamed(agentState);
        const hostedCall = this.#hosted.get(callId);
        if (activity === null || hostedCall?.organizationId !== organizationId) return [];
        return [[callId, { activity, state, responseMs: hostedCall.responseMs }] as const];
      }),
    );
  }

  /** Ends all calls: others may close those of this node soon, as its lease expires. */
  endAll(reason: 'shutdown' | 'node_lost'): void {
    for (const live of this.#live.values()) live.post({ type: 'call.terminate', reason });
  }

  /** Ends the calls that another node has closed. Rejects with a `DatabaseError`. */
  async endAdopted(): Promise<void> {
    for (const callId of await this.#options.calls.adopted([...this.#live.keys()]))
      this.#live.get(callId)?.post(NODE_LOST);
  }

  /** Reserves the media of a phone call. Rejects with a `MediaServiceError` if there is no room. */
  openMedia(callId: string, agent: LoadedAgent, codec: RtpMediaSessionOptions['codec']): Promise<HostedRtpMedia> {
    const { reservations } = this.#options;
    return reservations.reserveCall(callId, { codec, ...recordingOf(agent), hasEngine: true });
  }

  /** Reserves the media of a web call. Rejects with a `MediaServiceError` if there is no room. */
  openWebMedia(callId: string, agent: LoadedAgent): Promise<WebCallMedia> {
    return this.#options.reservations.reserveWebCall(callId, recordingOf(agent));
  }

  /** Closes the media of a call that was not launched. */
  release(callId: string): void {
    this.#options.reservations.release(callId);
  }

  /**
   * Lists the call as live until its end: a leg may answer before the host responds, and requests to a call that is answered must
   * reach it. The host keeps them until the engine runs. Rejects if the host does not start the call; later failures end the call.
   */
  async launch({
    call,
    agent,
    untrustedVariables = [],
    isSourceUntrusted,
    observe,
    leg,
    route,
  }: Launch): Promise<LiveCall> {
    const { clock, host, log, traceOf } = this.#options;
    const startedWallMs = clock.wallMs();
    const hosted = this.#hostedCall(call, agent, startedWallMs, leg, observe);
    this.#hosted.set(call.id, hosted);
    this.#live.set(call.id, hosted);
    this.#launching += 1;
    logCallStart(log(call.id), call, route);
    try {
      const { agentVersion, direction, dynamicVariables, fromNumber, toNumber } = call;
      await host.start({
        organizationId: call.organizationId,
        agent,
        trace: traceOf(call),
        parameters: {
          callId: call.id,
          agentVersion,
          direction,
          dynamicVariables,
          ...(untrustedVariables.length > 0 && { untrustedVariables }),
          fromNumber,
          toNumber,
          startedWallMs,
          ...(isSourceUntrusted && { isSourceUntrusted }),
        },
      });
    } catch (error) {
      this.#hosted.delete(call.id);
      this.#live.delete(call.id);
      hosted.abandon(error);
      throw error;
    } finally {
      this.#launching -= 1;
    }
    this.adopt(hosted);
    return hosted;
  }

  /** Lists a new call as live until its end. */
  adopt(live: LiveCall): void {
    const { log, onEnded } = this.#options;
    this.#live.set(live.callId, live);
    void live.ended.then(() => {
      this.#live.delete(live.callId);
      onEnded(live.callId);
    });
    void this.#endIfOver(live, log(live.callId));
  }

  #hostedCall(
    call: CallRecord,
    agent: LoadedAgent,
    startedWallMs: number,
    leg: Launch['leg'],
    observe: Launch['observe'],
  ): HostedCall {
    const { calls, clock, host, journal, log: logOf, onLost, onStored, prices } = this.#options;
    const { recordingUrl, reservations, transferPolicy } = this.#options;
    const log = logOf(call.id);
    const ownNumber = call.direction === 'inbound' ? call.toNumber : call.fromNumber;
    const writer = new CallWriter({
      callId: call.id,
      calls,
      journal,
      startedWallMs,
      gathering: this.#gathering,
      onStored,
      onLost: (write, error) => log.error({ err: error, write }, 'call write failed'),
      onRefused: () => this.#live.get(call.id)?.post(NODE_LOST),
    });
    const reports: LegReports = {
      onDialog: (dialog) => writer.update({ sipCallId: dialog.sipCallId, dialog: dialog.recovery() }),
      onBridgedDialog: (dialog) => writer.update({ bridgedDialog: dialog.recovery() }),
      onLost,
      onRedirected: (destination) => writer.update({ redirectTarget: destination }),
    };
    return new HostedCall({
      callId: call.id,
      organizationId: call.organizationId,
      host,
      control: withJudgedTransfers(
        leg(reports),
        (request) => transferPolicy.judge({ organizationId: call.organizationId, ownNumber: ownNumber ?? '' }, request),
        (error) => log.error({ err: error }, 'transfer check failed'),
      ),
      rtp: reservations.firstLeg(call.id),
      clock,
      writer,
      prices,
      log,
      recordingPath: agent.configuration.recording ? recordingPathOf(call.id) : null,
      startedWallMs,
      recordingReady: (recording) => recordingReady(recording, recordingUrl(call), clock.wallMs()),
      observe: (entry) => {
        logTransfer(log, entry);
        observe?.(entry, startedWallMs);
      },
    });
  }

  #receive(event: HostEvent): void {
    const { reservations } = this.#options;
    if ('mediaId' in event) {
      reservations.receive(event);
      return;
    }
    this.#hosted.get(event.callId)?.receive(event);
    if (event.type !== 'closed') return;
    this.#hosted.delete(event.callId);
    reservations.callClosed(event.callId);
  }

  /** A request to end the call may have come between its claim and this moment: it found no live call to end. */
  async #endIfOver(live: LiveCall, log: Log): Promise<void> {
    try {
      const call = await this.#options.calls.find(live.callId);
      if (call !== null && isFinal(call.status)) live.post({ type: 'call.terminate', reason: 'terminated' });
    } catch (error) {
      log.warn({ err: error }, 'call status check failed');
    }
  }
}

function recordingOf({ configuration }: LoadedAgent) {
  const { recording, redaction } = configuration;
  return { isRecorded: recording, redactsAudio: redaction?.audio !== undefined };
}
