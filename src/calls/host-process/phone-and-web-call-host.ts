import type {
  CallHost,
  CallStart,
  HostCommand,
  HostEvent,
  HostedActivity,
  HostedAgent,
  MediaReservation,
  PlannedCall,
  ReservedMedia,
} from '../host/call-host.ts';
import { mediaIdOf } from './calls-of-host.ts';

/**
 * Phone calls in one host, web calls in another. The frames of a web call pass through memory that its WebSocket's thread shares
 * with the media worker (`WebMediaAccess`), so web calls stay in the process of the HTTP server.
 */
export class PhoneAndWebCallHost implements CallHost {
  readonly #phone: CallHost;
  readonly #web: CallHost;
  /** Ids of the web calls that have not ended. */
  readonly #webCalls = new Set<string>();
  #listener: (event: HostEvent) => void = () => {};

  constructor({ phone, web }: { readonly phone: CallHost; readonly web: CallHost }) {
    this.#phone = phone;
    this.#web = web;
    phone.onEvent((event) => this.#listener(event));
    web.onEvent((event) => {
      this.#listener(event);
      if (event.type === 'media_closed') this.#webCalls.delete(event.mediaId);
      else if (event.type === 'closed') this.#webCalls.delete(event.callId);
    });
  }

  onEvent(listener: (event: HostEvent) => void): void {
    this.#listener = listener;
  }

  prepare(call: PlannedCall, agent: HostedAgent): Promise<void> {
    return (call.kind === 'web' ? this.#web : this.#phone).prepare(call, agent);
  }

  async reserve(reservation: MediaReservation): Promise<ReservedMedia> {
    if (reservation.kind !== 'web') return this.#hostOf(reservation.callId).reserve(reservation);
    const media = await this.#web.reserve(reservation);
    this.#webCalls.add(mediaIdOf(reservation));
    return media;
  }

  start(start: CallStart): Promise<void> {
    return this.#hostOf(start.parameters.callId).start(start);
  }

  async activities(): Promise<readonly HostedActivity[]> {
    return (await Promise.all([this.#phone.activities(), this.#web.activities()])).flat();
  }

  send(command: HostCommand): void {
    this.#hostOf(legOf(command)).send(command);
  }

  #hostOf(mediaId: string): CallHost {
    return this.#webCalls.has(mediaId) ? this.#web : this.#phone;
  }
}

/** The leg that decides which host gets the command; of a call, its first leg. */
export function legOf(command: HostCommand): string {
  switch (command.type) {
    case 'configure':
    case 'info_dtmf':
    case 'release':
      return command.mediaId;
    case 'playback_source':
    case 'bridge':
    case 'capture':
    case 'control_event':
    case 'live_command':
      return command.callId;
  }
}
