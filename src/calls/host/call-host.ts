import type { UsageEntry } from '../../../adapters/decorators/usage/call-usage.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { CallEvent, LiveRequest } from '../../../engine/core/event.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import type { CallControlEvent, TransferRequest } from '../../../engine/ports/call-control.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { CallView } from '../../../engine/session/call-handle.ts';
import type { SpansEntry } from '../../../engine/timeline/call-span.ts';
import type { RtpMediaSessionOptions } from '../../../sip/media/media-service.ts';
import type { MediaQuality } from '../../../sip/media/quality/media-quality.ts';
import type { SourceVerification } from '../../../sip/media/source-verification.ts';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import type { LogLevel } from '../../log/log.ts';
import type { LogEvent, LogFields } from '../../log/log-event-catalogue.ts';
import type { TraceContext } from '../../observability/opentelemetry/trace-context.ts';

/**
 * Runs a share of the calls: engine, adapters, media and recording. Signalling, storage and limits stay with its user.
 * Everything that crosses this port survives `structuredClone`, so that a host can be another process. Only the browser's
 * audio of a web call needs shared memory: see `WebMediaAccess`.
 *
 * The course of a call with an agent: `reserve`, any number of `configure` and `control_event` commands, `start`, then
 * events, of which `closed` is the last. Media that no engine runs (a call that does not start, a redirected call, the
 * second leg of a bridge) end with `release`; `media_closed` is their last event.
 */
export interface CallHost {
  /**
   * Opens media. Rejects with a `MediaServiceError` if no port or slot is free; with an `Error` if the id is reserved
   * already, or if a second leg has no first leg here.
   */
  reserve(reservation: MediaReservation): Promise<ReservedMedia>;
  /** Compiles the agent and connects to its providers before this call. Rejects for an agent that cannot be compiled. */
  prepare(call: PlannedCall, agent: HostedAgent): Promise<void>;
  /** Runs a reserved call. Rejects only before its engine runs; afterwards `finished` and `closed` report the end. */
  start(request: CallStart): Promise<void>;
  /** Commands act in their order. A command for a call that is not here is ignored. */
  send(command: HostCommand): void;
  /** The current activity of each call whose engine runs. */
  activities(): Promise<readonly HostedActivity[]>;
  /** One listener; events of one call come in their order. The listener must not throw. */
  onEvent(listener: (event: HostEvent) => void): void;
}

/** A call that will be reserved soon, with this id and of this kind. */
export interface PlannedCall {
  readonly callId: string;
  readonly kind: FirstLegKind;
}

export type FirstLegKind = 'rtp' | 'web';

export type MediaReservation = {
  readonly callId: string;
  /** Without audio for this long, in ms, the media have lost their peer. Suspended while the call is on hold. */
  readonly mediaTimeoutMs: number;
} & (
  | (FirstLegReservation & {
      readonly kind: 'rtp';
      readonly codec: RtpMediaSessionOptions['codec'];
      /** False for a redirected call: no `start` follows, and the loss of its media is reported as `media_lost`. */
      readonly hasEngine: boolean;
    })
  | (FirstLegReservation & { readonly kind: 'web' })
  /** The second leg of a bridge, in the media worker of the call's first leg. It has no recording and no engine. */
  | { readonly kind: 'second_leg'; readonly mediaId: string }
);

/** The `mediaId` of a first leg is the id of its call. */
interface FirstLegReservation {
  /** Path of the WAV to write; null: no recording. */
  readonly recordingPath: string | null;
  /** Its agent has `redaction.audio`: until it is redacted, the recording has another name. */
  readonly redactsAudio?: boolean;
}

export interface ReservedMedia {
  /** The local RTP port; null for a web call. */
  readonly port: number | null;
  readonly format: AudioFormat;
}

/** An agent version as a host needs it. */
export interface HostedAgent {
  readonly agentId: string;
  readonly agentVersion: number;
  /** The configuration is that of one call, which replaces fields of the version. */
  readonly isOverridden: boolean;
  /** With a reference (`secret:1`) in the place of each secret header. */
  readonly configuration: AgentConfiguration;
  /** The sealed values of the references. */
  readonly sealedSecrets: ReadonlyMap<string, string>;
}

/** The part of the call parameters that the database knows; the host adds what its adapters know. */
export type StoredCallParameters = Pick<
  CallParameters,
  | 'callId'
  | 'agentVersion'
  | 'direction'
  | 'fromNumber'
  | 'toNumber'
  | 'dynamicVariables'
  | 'untrustedVariables'
  | 'startedWallMs'
  | 'isSourceUntrusted'
>;

export interface CallStart {
  readonly organizationId: string;
  readonly agent: HostedAgent;
  readonly parameters: StoredCallParameters;
  /** The trace of the call; null without traces. */
  readonly trace?: TraceContext | null;
}

/** See `CallView`. */
export interface HostedActivity extends Pick<CallView, 'agentState' | 'state'> {
  readonly callId: string;
}

/** A request of the API to a running call, or its end. */
export type LiveCommand = LiveRequest | Extract<CallEvent, { readonly type: 'call.terminate' }>;

/** A command with a `mediaId` acts on one leg: the first one has the id of its call. */
export type HostCommand =
  /** The result of offer and answer; sent again after each new SDP. */
  | { readonly type: 'configure'; readonly mediaId: string; readonly session: RtpParameters }
  /** A DTMF digit that came by SIP INFO. */
  | { readonly type: 'info_dtmf'; readonly mediaId: string; readonly digit: string; readonly durationMs: number }
  /** The audio that the first leg hears. The agent's queued audio waits during `ringback` and a bridge. */
  | { readonly type: 'playback_source'; readonly callId: string; readonly source: 'agent' | 'ringback' }
  /** The peers of the first leg and of this second leg hear each other from now on. */
  | { readonly type: 'bridge'; readonly callId: string; readonly mediaId: string }
  /** Starts `captured` events for the first leg, or ends them (null). `localAddress` is recorded as our address. */
  | { readonly type: 'capture'; readonly callId: string; readonly localAddress: string | null }
  /** An event of the signalling. Events before `start` are kept in order; the engine gets them once it runs. */
  | { readonly type: 'control_event'; readonly callId: string; readonly event: CallControlEvent }
  | { readonly type: 'live_command'; readonly callId: string; readonly command: LiveCommand }
  /** Closes media that no engine runs. Their recording is deleted unless it is kept. Media with an engine ignore it. */
  | { readonly type: 'release'; readonly mediaId: string; readonly keepsRecording: boolean };

/** A request of the engine to the signalling. */
export type ControlCommand =
  | { readonly type: 'answer' }
  | { readonly type: 'hang_up' }
  | { readonly type: 'transfer'; readonly transfer: TransferRequest };

/** Every journal entry but the last; `finished` reports that one. Spans come before the first entry that is younger. */
export type KeptJournalEntry = Exclude<JournalEntry, { readonly type: 'ended' }> | SpansEntry;

export type HostEvent = HostMediaEvent | HostCallEvent;

/** Events of one leg. */
export type HostMediaEvent =
  /** The peer's packets have proved that it receives ours, or are missing. */
  | { readonly type: 'source_verification'; readonly mediaId: string; readonly result: SourceVerification }
  /** Media without an engine have had no audio for `mediaTimeoutMs`, or have failed. Reported once. */
  | { readonly type: 'media_lost'; readonly mediaId: string; readonly cause: 'timeout' | 'failed' }
  /** Unencrypted RTP as capture records (`pcapFile`). */
  | { readonly type: 'captured'; readonly mediaId: string; readonly records: Uint8Array }
  /** Follows `release`. `quality`: null before the first packet and without RTP. */
  | { readonly type: 'released'; readonly mediaId: string; readonly quality: MediaQuality | null }
  /** After `released`, once the recording is completely on the disk or deleted. No event of these media follows. */
  | { readonly type: 'media_closed'; readonly mediaId: string; readonly recording: RecordingOutcome };

/** Events of a call with an engine. */
export type HostCallEvent =
  | { readonly type: 'control'; readonly callId: string; readonly command: ControlCommand }
  | { readonly type: 'journal'; readonly callId: string; readonly entries: readonly KeptJournalEntry[] }
  | {
      readonly type: 'log';
      readonly callId: string;
      readonly level: LogLevel;
      readonly event: LogEvent;
      readonly fields: LogFields[LogEvent];
    }
  /** The engine has ended the call. `quality`: null before the first packet and without RTP. */
  | {
      readonly type: 'finished';
      readonly callId: string;
      readonly ended: Extract<JournalEntry, { readonly type: 'ended' }>;
      readonly quality: MediaQuality | null;
      readonly usage: readonly UsageEntry[];
    }
  /** The recording of an answered call is completely on the disk, or could not be stored. */
  | { readonly type: 'recorded'; readonly callId: string; readonly recording: RecordingOutcome }
  /** Media and tape are closed. No event of this call follows. */
  | { readonly type: 'closed'; readonly callId: string; readonly reason: EndReason };
