import { backoff } from '../../../base/time/backoff.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Log } from '../../log/log.ts';
import type { HostEvent } from '../host/call-host.ts';
import type { HostLink, LaunchHost } from './host-link.ts';
import type { HostMessage, HostReading, HostSettings } from './host-messages.ts';
import { RemoteCallHost, type RemoteCallHostOptions } from './remote-call-host.ts';

/** Interval of the beats of a host, and of the checks for them. */
export const BEAT_MS = 250;
/** A host without a beat for three seconds hangs, as a worker does (`sip/heartbeat`). Checks are counted, not time: a pause of the whole machine fails one. */
export const MISSED_BEATS_MAX = 12;
/** A host that missed two beats gets no new call while another one beats: it may hang. */
const STEADY_MISSED_MAX = 1;
/** Checks until a host must take calls: a minute, for a busy machine. It loads in one to two seconds. */
export const START_CHECKS_MAX = 240;
/** A host that lived longer than this is replaced at once. */
const LONG_LIFE_US = 10_000_000;
/** Delay before the next start after a short life, in ms. A start takes 1.5 s of CPU; all of its share of the calls waits for it. */
const RESTART_MS = { first: 250, max: 5_000 } as const;
/** Without calls a host stops in some hundred ms: it closes its media workers and its connections. */
export const STOP_TIMEOUT_MS = 5_000;

export interface HostSlotOptions {
  readonly settings: HostSettings;
  readonly launch: LaunchHost;
  readonly services: RemoteCallHostOptions['services'];
  readonly repairRecording: RemoteCallHostOptions['repairRecording'];
  readonly clock: Pick<Clock, 'nowUs' | 'after'>;
  readonly log: Log;
  readonly onEvent: (event: HostEvent, host: RemoteCallHost) => void;
  /** Messages that concern no call. */
  readonly onMetric: (metric: Extract<HostMessage, { readonly type: 'provider_failed' | 'first_byte' }>) => void;
}

interface RunningHost {
  readonly link: HostLink;
  readonly calls: RemoteCallHost;
  readonly startedUs: number;
  isReady: boolean;
  /** Null before the first beat. */
  reading: HostReading | null;
  hasBeat: boolean;
  missedChecks: number;
  /** Why it was killed; null: it was not. */
  killedFor: string | null;
}

/** One place for a host process: starts it, watches its beats, and starts its successor. */
export class HostSlot {
  readonly #options: HostSlotOptions;
  readonly #ready = Promise.withResolvers<void>();
  #running: RunningHost | null = null;
  #shortLives = 0;
  #exits = 0;
  #stopTimer: () => void = () => {};
  #closed: PromiseWithResolvers<void> | null = null;

  constructor(options: HostSlotOptions) {
    this.#options = options;
    // Unhandled while the service does not wait for it yet.
    this.#ready.promise.catch(() => {});
    this.#launch();
  }

  get number(): number {
    return this.#options.settings.host;
  }

  /** Resolves once the first process takes calls; rejects if it exits before. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** The host, if it takes calls. */
  get host(): RemoteCallHost | null {
    return this.#running?.isReady === true ? this.#running.calls : null;
  }

  /** Whether its event loop runs, as far as its beats show. */
  get isSteady(): boolean {
    return (this.#running?.missedChecks ?? 0) <= STEADY_MISSED_MAX;
  }

  /** The state at the last beat; null while no host runs. */
  get reading(): HostReading | null {
    return this.#running?.reading ?? null;
  }

  get pid(): number | null {
    return this.#running?.link.pid ?? null;
  }

  /** Processes that have exited before the service stopped. */
  get exits(): number {
    return this.#exits;
  }

  /** Ends the process; its calls have ended before. */
  async close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>();
    const running = this.#running;
    this.#stopTimer();
    if (running === null) return;
    running.link.send({ type: 'stop' });
    this.#stopTimer = this.#options.clock.after(STOP_TIMEOUT_MS, () => running.link.kill());
    await this.#closed.promise;
  }

  #launch(): void {
    const { clock, launch, log, onEvent, repairRecording, services, settings } = this.#options;
    const calls = new RemoteCallHost({
      clock,
      send: (message) => link.send(message),
      services,
      repairRecording,
      onRecordingFault: (callId, error) => log.error({ call_id: callId, err: error }, 'recording recovery failed'),
    });
    calls.onEvent((event) => onEvent(event, calls));
    const link: HostLink = launch(settings, {
      onMessage: (message) => this.#receive(running, message),
      onExit: (reason) => this.#exited(running, running.killedFor ?? reason),
    });
    const running: RunningHost = {
      link,
      calls,
      startedUs: clock.nowUs(),
      isReady: false,
      reading: null,
      hasBeat: false,
      missedChecks: 0,
      killedFor: null,
    };
    this.#running = running;
    link.send({ type: 'settings', settings });
    this.#watch(running);
  }

  #watch(running: RunningHost): void {
    this.#stopTimer = this.#options.clock.after(BEAT_MS, () => {
      running.missedChecks = running.hasBeat ? 0 : running.missedChecks + 1;
      running.hasBeat = false;
      const checksMax = running.isReady ? MISSED_BEATS_MAX : START_CHECKS_MAX;
      if (running.missedChecks >= checksMax) {
        running.killedFor = `no heartbeat for ${checksMax * BEAT_MS} ms`;
        running.link.kill();
        return;
      }
      this.#watch(running);
    });
  }

  #receive(running: RunningHost, message: HostMessage): void {
    const { log, onMetric } = this.#options;
    switch (message.type) {
      case 'response':
      case 'event':
      case 'service_request':
        running.calls.receive(message);
        return;
      case 'ready':
        running.isReady = true;
        running.missedChecks = 0;
        this.#ready.resolve();
        log.info({ host: this.number, pid: running.link.pid }, 'call host started');
        return;
      case 'beat':
        running.hasBeat = true;
        running.reading = message.reading;
        return;
      case 'log':
        log[message.level](message.fields, message.event);
        return;
      case 'provider_failed':
      case 'first_byte':
        onMetric(message);
        return;
    }
  }

  #exited(running: RunningHost, reason: string): void {
    const { clock, log } = this.#options;
    this.#stopTimer();
    this.#running = null;
    if (this.#closed !== null) {
      running.calls.exited('the service stops');
      this.#closed.resolve();
      return;
    }
    this.#exits++;
    log.error({ host: this.number, pid: running.link.pid, reason, legs: running.calls.size }, 'call host exited');
    running.calls.exited(reason);
    this.#ready.reject(new Error(`call host ${this.number} did not start: ${reason}`));
    const isLongLife = clock.nowUs() - running.startedUs > LONG_LIFE_US;
    const delayMs = isLongLife ? 0 : backoff(RESTART_MS, this.#shortLives);
    this.#shortLives = isLongLife ? 0 : this.#shortLives + 1;
    this.#stopTimer = clock.after(delayMs, () => this.#launch());
  }
}
