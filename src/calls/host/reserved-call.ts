import type { CallControl, CallControlEvent } from '../../../engine/ports/call-control.ts';
import type { CallHandle } from '../../../engine/session/start-call.ts';
import type { MediaSession, RtpMediaSession, WebMediaSession } from '../../../sip/media/media-service.ts';
import type { ControlCommand, HostCommand, LiveCommand } from './call-host.ts';

/** The media of a call in its host. */
export type HostedMedia =
  | { readonly kind: 'rtp'; readonly session: RtpMediaSession }
  | { readonly kind: 'web'; readonly session: WebMediaSession };

/** A call in its host, from its reservation to its end. Commands that come before the engine runs are kept in order. */
export class ReservedCall {
  readonly media: HostedMedia;
  readonly control: CallControl;
  #onControlEvent: ((event: CallControlEvent) => void) | null = null;
  #keptEvents: CallControlEvent[] = [];
  #handle: CallHandle | null = null;
  #keptCommands: LiveCommand[] = [];
  #answered = false;
  #started = false;

  constructor(media: HostedMedia, emit: (command: ControlCommand) => void) {
    this.media = media;
    this.control = {
      answer: () => emit({ type: 'answer' }),
      hangUp: () => emit({ type: 'hang_up' }),
      transfer: (transfer) => emit({ type: 'transfer', transfer }),
      onEvent: (listener) => {
        this.#onControlEvent = listener;
      },
    };
  }

  get session(): MediaSession {
    return this.media.session;
  }

  get answered(): boolean {
    return this.#answered;
  }

  /** False if the call has been started before. */
  begin(): boolean {
    const isFirst = !this.#started;
    this.#started = true;
    return isFirst;
  }

  /** The engine runs: it takes the call's first event before those that were kept. */
  attach(handle: CallHandle): void {
    this.#handle = handle;
    for (const event of this.#keptEvents.splice(0)) this.#onControlEvent?.(event);
    for (const command of this.#keptCommands.splice(0)) handle.post(command);
  }

  /** Closes the media of a call that does not run; false for one that does. */
  release(): boolean {
    if (this.#handle !== null) return false;
    this.session.close();
    return true;
  }

  handle(command: Exclude<HostCommand, { readonly type: 'release' }>): void {
    switch (command.type) {
      case 'configure':
        if (this.media.kind === 'rtp') this.media.session.configure(command.session);
        return;
      case 'info_dtmf':
        if (this.media.kind === 'rtp') this.media.session.receiveInfoDtmf(command.digit, command.durationMs);
        return;
      case 'control_event':
        if (command.event.type === 'answered') this.#answered = true;
        if (this.#handle === null) this.#keptEvents.push(command.event);
        else this.#onControlEvent?.(command.event);
        return;
      case 'live_command':
        if (this.#handle === null) this.#keptCommands.push(command.command);
        else this.#handle.post(command.command);
        return;
    }
  }
}
