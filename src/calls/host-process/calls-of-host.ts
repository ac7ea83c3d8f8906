import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { HostCommand, HostEvent, MediaReservation } from '../host/call-host.ts';

/** Reserved media that the host has not closed. */
export interface MediaOfHost {
  readonly reservation: MediaReservation;
  /** Set once the service has released them. */
  release: { readonly keepsRecording: boolean } | null;
  wasReleaseReported: boolean;
  wasLossReported: boolean;
}

/** A call whose engine runs, or has run. */
export interface CallOfHost {
  answered: boolean;
  /** Set once the host has reported the end. */
  endReason: EndReason | null;
  wasRecordingReported: boolean;
  /** The user has refused the recording: it is deleted. */
  isRecordingRefused: boolean;
  /** The latest record of each turn. */
  readonly turns: Map<number, TurnRecord>;
}

/** The calls in one host process: the data with which the service ends them after an exit of the host. */
export class CallsOfHost {
  /** By `mediaId`. */
  readonly media = new Map<string, MediaOfHost>();
  readonly calls = new Map<string, CallOfHost>();
  /** Calls that were answered before their engine ran. */
  readonly #answered = new Set<string>();

  reserved(reservation: MediaReservation): void {
    const media = { reservation, release: null, wasReleaseReported: false, wasLossReported: false };
    this.media.set(mediaIdOf(reservation), media);
  }

  /** The reservation failed, or the media are closed. */
  forget(mediaId: string): void {
    this.media.delete(mediaId);
    this.calls.delete(mediaId);
    this.#answered.delete(mediaId);
  }

  /** The engine of the call runs. */
  started(callId: string): void {
    if (this.calls.has(callId)) return;
    const answered = this.#answered.has(callId);
    this.calls.set(callId, {
      answered,
      endReason: null,
      wasRecordingReported: false,
      isRecordingRefused: false,
      turns: new Map(),
    });
  }

  sent(command: HostCommand): void {
    if (command.type === 'release' && !this.calls.has(command.mediaId)) {
      const media = this.media.get(command.mediaId);
      if (media !== undefined) media.release ??= command;
    }
    if (command.type !== 'control_event' || command.event.type !== 'answered') return;
    const call = this.calls.get(command.callId);
    if (call !== undefined) call.answered = true;
    else if (this.media.has(command.callId)) this.#answered.add(command.callId);
  }

  received(event: HostEvent): void {
    if ('mediaId' in event) {
      const media = this.media.get(event.mediaId);
      if (event.type === 'media_closed') this.forget(event.mediaId);
      else if (media === undefined) return;
      else if (event.type === 'released') media.wasReleaseReported = true;
      else if (event.type === 'media_lost') media.wasLossReported = true;
      return;
    }
    const call = this.calls.get(event.callId);
    if (event.type === 'closed') this.forget(event.callId);
    else if (call === undefined) return;
    else if (event.type === 'finished') call.endReason = event.ended.reason;
    else if (event.type === 'recorded') call.wasRecordingReported = true;
    else if (event.type === 'journal') {
      for (const entry of event.entries) {
        if (entry.type === 'turn') call.turns.set(entry.record.turn, entry.record);
        if (entry.type === 'consent' && entry.consent === 'refused') call.isRecordingRefused = true;
      }
    }
  }
}

/** The id under which the host knows these media. */
export function mediaIdOf(reservation: MediaReservation): string {
  return reservation.kind === 'second_leg' ? reservation.mediaId : reservation.callId;
}
