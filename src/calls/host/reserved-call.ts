import type { CallControl, CallControlEvent } from '../../../engine/ports/call-control.ts';
import type { CallHandle } from '../../../engine/session/start-call.ts';
import type { MediaSession } from '../../../sip/media/media-service.ts';
import type { ControlCommand, HostCommand, LiveCommand } from './call-host.ts';

/** A call in its host, from its reservation to its end. Commands that come before the engine runs are kept in order. */
export class ReservedCall {
  /** The media of its first leg. */
  readonly session: MediaSession;
  readonly control: CallControl;
  #onControlEvent: ((event: CallControlEvent) => void) | null = null;
  #keptEvents: CallControlEvent[] = [];
  #handle: CallHandle | null = null;
  #keptCommands: LiveCommand[] = [];
  #answered = false;
  #started = false;

  constructor(session: MediaSession, emit: (command: ControlCommand) => void) {
    this.session = session;
    this.control = {
      answer: () => emit({ type: 'answer' }),
      hangUp: () => emit({ type: 'hang_up' }),
      transfer: (transfer) => emit({ type: 'transfer', transfer }),
      onEvent: (listener) => {
        this.#onControlEvent = listener;
      },
    };
  }

  get answered(): boolean {
    return this.#answered;
  }

  get hasEngine(): boolean {
    return this.#handle !== null;
  }

  /** The current activity; null before the engine runs. */
  get activity(): ReturnType<CallHandle['activity']> | null {
    return this.#handle?.activity() ?? null;
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

  handle(command: Extract<HostCommand, { readonly type: 'control_event' | 'live_command' }>): void {
    switch (command.type) {
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
