import type { Clock } from '../../../base/time/clock.ts';
import type { MediaService } from '../../../sip/media/media-service.ts';
import { MediaServiceError } from '../../../sip/media/media-service-error.ts';
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
import type { HostReading } from './host-messages.ts';
import { HostSlot, type HostSlotOptions } from './host-slot.ts';
import { legOf } from './phone-and-web-call-host.ts';
import { PlannedCalls } from './planned-calls.ts';
import type { RemoteCallHost } from './remote-call-host.ts';

/** A replaced host takes calls after one to two seconds. */
const RETRY_SECONDS = 2;

export interface CallHostsOptions extends Omit<HostSlotOptions, 'settings' | 'onEvent' | 'clock'> {
  /** One entry for each host. */
  readonly settings: readonly HostSlotOptions['settings'][];
  readonly clock: Pick<Clock, 'nowUs' | 'after'>;
}

/** A host at a scrape of the metrics. */
export interface HostView {
  readonly host: number;
  /** Null: no process runs, or it has not beaten yet. */
  readonly reading: HostReading | null;
  readonly isRunning: boolean;
  readonly exits: number;
}

/**
 * The call hosts in separate processes, as one `CallHost`. A call stays in the host that reserved it: its second leg, its
 * commands and its end go there. Web calls need the memory of their connection's process and never come here (`PhoneAndWebCallHost`).
 */
export class CallHosts implements CallHost {
  readonly #slots: readonly HostSlot[];
  readonly #planned: PlannedCalls<HostSlot>;
  /** The host of each leg, by `mediaId`. Kept after the host exits, until the leg ends. */
  readonly #routes = new Map<string, RemoteCallHost>();
  #next = 0;
  #listener: (event: HostEvent) => void = () => {};

  constructor({ settings, ...options }: CallHostsOptions) {
    const onEvent = (event: HostEvent) => this.#receive(event);
    this.#planned = new PlannedCalls(options.clock);
    this.#slots = settings.map((hostSettings) => new HostSlot({ ...options, settings: hostSettings, onEvent }));
  }

  /** Resolves once every host takes calls; rejects if one exits before. */
  async ready(): Promise<void> {
    await Promise.all(this.#slots.map(({ ready }) => ready));
  }

  /** Ends the processes; their calls have ended before. */
  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }

  /** Whether one more call fits into one of the hosts; see `MediaService.capacity`. */
  capacity(): ReturnType<MediaService['capacity']> {
    const waits: number[] = [];
    for (const { host, reading } of this.#slots) {
      if (host === null) continue;
      // A running host without a heartbeat yet has no calls.
      if (reading === null || reading.capacity.accepted) return { accepted: true };
      waits.push(reading.capacity.retryAfterSeconds);
    }
    return { accepted: false, retryAfterSeconds: waits.length === 0 ? RETRY_SECONDS : Math.min(...waits) };
  }

  views(): readonly HostView[] {
    return this.#slots.map(({ exits, host, number, reading }) => {
      // Legs are counted here, because the last heartbeat may be outdated.
      const media = reading && { ...reading.media, sessions: host?.size ?? 0 };
      return { host: number, reading: reading && media && { ...reading, media }, isRunning: host !== null, exits };
    });
  }

  onEvent(listener: (event: HostEvent) => void): void {
    this.#listener = listener;
  }

  prepare(call: PlannedCall, agent: HostedAgent): Promise<void> {
    return this.#withHost(async () => {
      const slot = this.#leastBusy();
      if (slot?.host == null) throw noHost();
      this.#planned.plan(call.callId, slot);
      return { host: slot.host, done: slot.host.prepare(call, agent) };
    });
  }

  async reserve(reservation: MediaReservation): Promise<ReservedMedia> {
    const mediaId = mediaIdOf(reservation);
    if (this.#routes.has(mediaId)) throw new Error('the media are reserved already');
    return this.#withHost(async () => {
      const host = this.#hostFor(reservation);
      this.#routes.set(mediaId, host);
      const done = host.reserve(reservation).catch((error: unknown) => {
        this.#routes.delete(mediaId);
        throw error;
      });
      return { host, done };
    });
  }

  async start(start: CallStart): Promise<void> {
    const host = this.#routes.get(start.parameters.callId);
    if (host === undefined) throw new Error('call is not reserved, or was started before');
    await host.start(start);
  }

  async activities(): Promise<readonly HostedActivity[]> {
    const hosts = this.#slots.flatMap(({ host }) => host ?? []);
    return (await Promise.all(hosts.map((host) => host.activities()))).flat();
  }

  send(command: HostCommand): void {
    this.#routes.get(legOf(command))?.send(command);
  }

  #receive(event: HostEvent): void {
    this.#listener(event);
    if (event.type === 'media_closed') this.#routes.delete(event.mediaId);
    else if (event.type === 'closed') this.#routes.delete(event.callId);
  }

  /** Tries the next host if the chosen one exits before it has responded: nothing of the call has begun. */
  async #withHost<T>(begin: () => Promise<{ readonly host: RemoteCallHost; readonly done: Promise<T> }>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { done, host } = await begin();
      try {
        return await done;
      } catch (error) {
        if (!host.hasExited || tries > this.#slots.length) throw error;
      }
    }
  }

  #hostFor(reservation: MediaReservation): RemoteCallHost {
    const { callId } = reservation;
    if (reservation.kind === 'second_leg') {
      const host = this.#routes.get(callId);
      if (host === undefined) throw new Error('the second leg of a bridge needs a first leg over RTP');
      return host;
    }
    const host = this.#planned.take(callId)?.host ?? this.#leastBusy()?.host ?? null;
    if (host === null) throw noHost();
    return host;
  }

  /** The host with the fewest legs and planned calls, preferably one with heartbeats that accepts calls; ties rotate. */
  #leastBusy(): HostSlot | null {
    const running = this.#slots.filter(({ host }) => host !== null);
    const steady = running.filter(({ isSteady }) => isSteady);
    const accepting = steady.filter(({ reading }) => reading?.capacity.accepted !== false);
    const planned = this.#planned.counts();
    const loadOf = (slot: HostSlot) => (slot.host?.size ?? 0) + (planned.get(slot) ?? 0);
    const candidates = [accepting, steady].find(({ length }) => length > 0) ?? running;
    const turn = this.#next++;
    const rotated = candidates.map((_, at) => candidates[(at + turn) % candidates.length]);
    return rotated.reduce<HostSlot | null>(
      (least, slot) => (slot !== undefined && (least === null || loadOf(slot) < loadOf(least)) ? slot : least),
      null,
    );
  }
}

function noHost(): MediaServiceError {
  return new MediaServiceError('no_worker', 'No call host runs; one is starting');
}
