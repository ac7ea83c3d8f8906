import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProviderMetrics } from '../../../adapters/decorators/metrics/provider-metrics.ts';
import { decorateCall } from '../../../adapters/decorators/pipeline.ts';
import { CallUsage } from '../../../adapters/decorators/usage/call-usage.ts';
import { createStallSafeClock } from '../../../base/time/stall-safe-clock.ts';
import type { CallParameters } from '../../../engine/core/call-parameters.ts';
import type { CallControl } from '../../../engine/ports/call-control.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { CallPorts } from '../../../engine/session/call-ports.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type {
  MediaPlane,
  MediaSession,
  MediaSessionOptions,
  RtpMediaSession,
  RtpMediaSessionOptions,
  WebMediaSession,
} from '../../../sip/media/media-plane.ts';
import type { SipDialog } from '../../../sip/signalling/signalling.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import type { JournalRepository } from '../../storage/calls/journal-repository.ts';
import { isFinal } from '../../storage/schema/call-status.ts';
import type { DestinationPolicy } from '../../telephony/destinations/destination-policy.ts';
import { policedControl } from '../../telephony/destinations/policed-control.ts';
import type { LoadedAgent } from '../agents/agent-cache.ts';
import { CallWriter } from '../journal/call-writer.ts';
import type { DialogOptions } from '../legs/dialog-leg.ts';
import type { CallProviders } from '../providers/call-providers.ts';
import { recordingFile } from '../recording/recording-file.ts';
import { recordingReady } from '../recording/recording-ready.ts';
import { openTape, type TapeWriter } from '../tape/tape-writer.ts';
import type { PriceTable } from '../usage/price-table.ts';
import type { CallLog } from './call-log.ts';
import { type LiveCall, startLiveCall } from './live-call.ts';

/** Without audio for so long, a call that is not on hold has lost its caller. */
const MEDIA_TIMEOUT_MS = 30_000;

export interface CallLauncherOptions {
  readonly calls: CallRepository;
  readonly journal: JournalRepository;
  readonly media: MediaPlane;
  readonly dataDir: string;
  /** Free bytes under which no tape is begun; recordings stop by themselves. */
  readonly diskLowWaterBytes: number;
  readonly destinations: DestinationPolicy;
  /** Made anew for each call: an adapter may count the requests of its call. */
  readonly providers: (agent: LoadedAgent['configuration']) => CallProviders;
  readonly metrics: ProviderMetrics;
  /** What the operator pays for what a call uses. */
  readonly prices: PriceTable;
  /** Made anew for each call: it knows the agent's secrets. */
  readonly tools: (agent: LoadedAgent) => CallPorts['tools'];
  /** What calls of an organization may search. */
  readonly knowledge: (organizationId: string) => CallPorts['knowledge'];
  readonly log: (callId: string) => CallLog;
  /** Where the recording of a call is had. */
  readonly recordingUrl: (call: CallRecord) => string;
  /** Events may be due for delivery. */
  readonly onStored: () => void;
  /** A call is over, and all that is kept of it is on the disk. */
  readonly onEnded: () => void;
  /** The SIP server died under this dialog: its peer is owed a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
}

export interface Launch {
  readonly call: CallRecord;
  readonly agent: LoadedAgent;
  readonly media: MediaSession;
  /** Told each journal entry as it is written, and the wall clock at engine time 0; it must not throw. */
  readonly observe?: (entry: JournalEntry, startedWallMs: number) => void;
  /** Makes the leg; what follows its dialog is handed in. */
  readonly leg: (dialog: Pick<DialogOptions, 'onDialog' | 'onBridgedDialog' | 'onLost'>) => CallControl;
}

/** Brings calls to life, and knows those that live. */
export class CallLauncher {
  readonly #options: CallLauncherOptions;
  readonly #live = new Map<string, LiveCall>();

  constructor(options: CallLauncherOptions) {
    this.#options = options;
  }

  get live(): ReadonlyMap<string, LiveCall> {
    return this.#live;
  }

  /** The media of a call that is about to begin. Rejects with a `MediaPlaneError` where there is no room. */
  openMedia(callId: string, agent: LoadedAgent, codec: RtpMediaSessionOptions['codec']): Promise<RtpMediaSession> {
    return this.#options.media.open({ ...this.#mediaOptions(callId, agent), codec });
  }

  /** The same of a web call. */
  openWebMedia(callId: string, agent: LoadedAgent): Promise<WebMediaSession> {
    return this.#options.media.openWeb(this.#mediaOptions(callId, agent));
  }

  /** Rejects only before the call lives: from then on its own end is all that can come. */
  async launch({ call, agent, media, observe, leg }: Launch): Promise<LiveCall> {
    const options = this.#options;
    const log = options.log(call.id);
    const clock = createStallSafeClock();
    const usage = new CallUsage();
    const providers = options.providers(agent.configuration);
    const facts = factsOf(call, clock.wallMs(), agent, providers);
    const tape = await this.#openTape(agent, facts, media, log);
    const writer = new CallWriter({
      callId: call.id,
      calls: options.calls,
      journal: options.journal,
      startedWallMs: facts.startedWallMs,
      onStored: options.onStored,
      onLost: (what, error) => log.error(`could not be stored: ${what}`, error),
    });
    const dialog = {
      onDialog: (one: Pick<SipDialog, 'sipCallId' | 'recovery'>) =>
        writer.update({ sipCallId: one.sipCallId, dialog: one.recovery() }),
      onBridgedDialog: (one: Pick<SipDialog, 'recovery'>) => writer.update({ bridgedDialog: one.recovery() }),
      onLost: options.onLost,
    };
    const control = policedControl(leg(dialog), options.destinations);
    const live = startLiveCall({
      compiled: agent.compiled,
      facts,
      control,
      media,
      ports: {
        ...decorateCall(providers, { metrics: options.metrics, usage, tape }),
        tools: options.tools(agent),
        knowledge: options.knowledge(call.organizationId),
        log: (level, message) => log[level](message),
      },
      clock,
      writer,
      usage,
      prices: options.prices,
      recordingPath: agent.configuration.recording ? recordingFile(call.id) : null,
      recordingReady: (recording) => recordingReady(recording, options.recordingUrl(call), clock.wallMs()),
      tape,
      ...(observe !== undefined && { observe: (entry) => observe(entry, facts.startedWallMs) }),
    });
    this.adopt(live);
    return live;
  }

  /** Counts a call that was just made among those that live, to its end. */
  adopt(live: LiveCall): void {
    const { log: logOf, onEnded } = this.#options;
    const log = logOf(live.callId);
    this.#live.set(live.callId, live);
    void live.ended.then((reason: EndReason) => {
      this.#live.delete(live.callId);
      log.info(`ended: ${reason}`);
      onEnded();
    });
    void this.#endIfOver(live, log);
  }

  #mediaOptions(callId: string, agent: LoadedAgent): MediaSessionOptions {
    const recording = agent.configuration.recording && {
      recordingPath: join(this.#options.dataDir, recordingFile(callId)),
    };
    return { callId, mediaTimeoutMs: MEDIA_TIMEOUT_MS, ...recording };
  }

  /** An order to end the call may have come between its claim and this moment: it found no live call to end. */
  async #endIfOver(live: LiveCall, log: CallLog): Promise<void> {
    try {
      const call = await this.#options.calls.find(live.callId);
      if (call !== null && isFinal(call.status)) live.post({ type: 'call.terminate', reason: 'terminated' });
    } catch (error) {
      log.warn('it could not be read whether the call is wanted still', error);
    }
  }

  async #openTape(
    agent: LoadedAgent,
    facts: CallParameters,
    media: MediaSession,
    log: CallLog,
  ): Promise<TapeWriter | null> {
    if (!agent.configuration.record_tape) return null;
    const { dataDir, diskLowWaterBytes } = this.#options;
    const directory = join(dataDir, 'tapes', facts.callId);
    const onLost = (error: Error) => log.error('the tape is incomplete', error);
    if ((await freeBytes(dataDir)) < diskLowWaterBytes) {
      log.warn('the disk is under its low-water mark: no tape is kept');
      return null;
    }
    return openTape(directory, agent.configuration, facts, media.audio.format, onLost).catch((error: Error) => {
      onLost(error);
      return null;
    });
  }
}

/** Of a disk that does not tell, nothing is assumed. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function factsOf(
  call: CallRecord,
  startedWallMs: number,
  agent: LoadedAgent,
  providers: CallProviders,
): CallParameters {
  return {
    callId: call.id,
    agentId: agent.agentId,
    agentVersion: call.agentVersion,
    direction: call.direction,
    fromNumber: call.fromNumber,
    toNumber: call.toNumber,
    dynamicVariables: call.dynamicVariables,
    startedWallMs,
    transcriberTraits: providers.transcriber.traitsOf(agent.configuration.transcriber.model),
    ...(providers.fallbackTranscriberTraits.length > 0 && {
      fallbackTranscriberTraits: providers.fallbackTranscriberTraits,
    }),
    ...(providers.modelLatencies.length > 0 && { modelLatencies: providers.modelLatencies }),
    ...(providers.voiceFirstAudioP99Ms.some((one) => one !== null) && {
      voiceFirstAudioP99Ms: providers.voiceFirstAudioP99Ms,
    }),
  };
}
