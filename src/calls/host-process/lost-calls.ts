import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';
import { turnMetrics } from '../../../engine/metrics/turn-metrics.ts';
import type { CallMetrics } from '../../../engine/ports/journal.ts';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import type { HostCommand, HostEvent } from '../host/call-host.ts';
import { removeRecording } from '../recording/unredacted-recording.ts';
import type { CallOfHost, CallsOfHost, MediaOfHost } from './calls-of-host.ts';

/** Tries to finish a recording. A fault such as too many open files has passed by then; until then the call counts as live. */
export const RECORDING_TRIES = 4;
/** Wait between two tries, ms: a minute in all. */
export const RECORDING_RETRY_MS = 20_000;

export interface LostCallsOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly callsOfHost: CallsOfHost;
  readonly emit: (event: HostEvent) => void;
  /** Why the host exited, for people. */
  readonly detail: string;
  /** Finishes a recording that was cut off; returns its length in ms, null without audio. */
  readonly repairRecording: (path: string) => Promise<number | null>;
  /** The recording of a call could not be finished or deleted. */
  readonly onRecordingFault: (callId: string, error: unknown) => void;
}

/**
 * Ends the calls of a host that has exited, once each, with the events that the port promises. Transcript and recording are
 * kept up to the exit.
 */
export class LostCalls {
  readonly #options: LostCallsOptions;

  constructor(options: LostCallsOptions) {
    this.#options = options;
  }

  /** Reports the end of each call, and the loss of all media without an engine. */
  end(): void {
    const { emit, callsOfHost } = this.#options;
    for (const [callId, call] of [...callsOfHost.calls]) void this.#endCall(callId, call);
    for (const [mediaId, media] of [...callsOfHost.media]) {
      if (callsOfHost.calls.has(mediaId)) continue;
      const { release, reservation, wasLossReported } = media;
      if (release !== null) void this.#close(mediaId, media, release.keepsRecording);
      else if (!wasLossReported && (reservation.kind === 'second_leg' || isWithoutEngine(reservation)))
        emit({ type: 'media_lost', mediaId, cause: 'failed' });
    }
  }

  /** Takes a command for a call of the exited host. */
  send(command: HostCommand): void {
    if (command.type !== 'release') return;
    const { callsOfHost } = this.#options;
    const media = callsOfHost.media.get(command.mediaId);
    if (media === undefined || media.release !== null || callsOfHost.calls.has(command.mediaId)) return;
    media.release = command;
    void this.#close(command.mediaId, media, command.keepsRecording);
  }

  /** Never rejects. */
  async #endCall(callId: string, call: CallOfHost): Promise<void> {
    const { detail, emit, callsOfHost } = this.#options;
    const reason = call.endReason ?? 'internal_error';
    if (call.endReason === null) {
      const metrics = metricsOf(call);
      emit({ type: 'control', callId, command: { type: 'hang_up' } });
      emit({
        type: 'finished',
        callId,
        ended: { type: 'ended', reason, detail, metrics, atUs: 0 },
        quality: null,
        usage: [],
      });
    }
    const media = callsOfHost.media.get(callId);
    if (media !== undefined && !call.wasRecordingReported) {
      const recording = await this.#recordingOf(callId, media, call.answered && !call.isRecordingRefused);
      if (recording !== null && call.answered) emit({ type: 'recorded', callId, recording });
    }
    callsOfHost.forget(callId);
    emit({ type: 'closed', callId, reason });
  }

  /** Never rejects. */
  async #close(mediaId: string, media: MediaOfHost, keepsRecording: boolean): Promise<void> {
    const { emit, callsOfHost } = this.#options;
    if (!media.wasReleaseReported) emit({ type: 'released', mediaId, quality: null });
    const recording = await this.#recordingOf(mediaId, media, keepsRecording);
    callsOfHost.forget(mediaId);
    emit({ type: 'media_closed', mediaId, recording: recording ?? { path: null, complete: true, durationMs: 0 } });
  }

  /** The recording up to the exit; null for media without one, and if each try fails: the next start finishes it. Never rejects. */
  async #recordingOf(callId: string, { reservation }: MediaOfHost, isKept: boolean): Promise<RecordingOutcome | null> {
    const path = reservation.kind === 'second_leg' ? null : reservation.recordingPath;
    if (path === null) return null;
    const { clock, onRecordingFault } = this.#options;
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#finish(path, isKept);
      } catch (error) {
        onRecordingFault(callId, error);
        if (tried === RECORDING_TRIES) return null;
        await pause(clock, RECORDING_RETRY_MS);
      }
    }
  }

  /** Idempotent. Rejects with the errors of `fs`. */
  async #finish(path: string, isKept: boolean): Promise<RecordingOutcome> {
    const durationMs = isKept ? await this.#options.repairRecording(path) : null;
    if (durationMs !== null) return { path, complete: false, durationMs };
    await removeRecording(path);
    return { path: null, complete: false, durationMs: 0 };
  }
}

function isWithoutEngine(reservation: MediaOfHost['reservation']): boolean {
  return reservation.kind === 'rtp' && !reservation.hasEngine;
}

/**
 * The metrics of the turns that the host has reported. The counts of the engine and the usage are lost with the host.
 */
function metricsOf({ turns }: CallOfHost): CallMetrics {
  const records = [...turns.values()];
  return {
    ...turnMetrics(records),
    turns: records.filter(({ user }) => user !== null).length,
    eagerHits: 0,
    eagerMisses: 0,
    inputTokens: 0,
    outputTokens: 0,
    voiceCharacters: 0,
    transcribedMs: 0,
  };
}
