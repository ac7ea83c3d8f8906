import { backoff } from '../../base/time/backoff.ts';
import type { Clock } from '../../base/time/clock.ts';
import { withTimeout } from '../../base/time/with-timeout.ts';
import type { RegisterOutcome, RegisterRequest } from './signalling.ts';

/** The state of a trunk's registration. `expiresAtMs`: wall clock; null without a registration. `failed`: retried later. */
export interface RegistrationState {
  readonly status: 'registering' | 'registered' | 'failed' | 'unregistered';
  readonly expiresAtMs: number | null;
  /** The error of the last attempt; null after a success. */
  readonly error: string | null;
}

export interface RegistrationKeeperOptions {
  readonly request: Pick<RegisterRequest, 'trunk' | 'credentials' | 'sipCallId'>;
  readonly register: (request: RegisterRequest) => Promise<RegisterOutcome>;
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly onState: (state: RegistrationState) => void;
}

/** An hour: the usual value of registrars. */
const EXPIRES_SECONDS = 3_600;
/** The bound of a 423's minimum and of a granted expiry: refresh at least once a day. */
const EXPIRES_SECONDS_MAX = 86_400;
/** Time for two REGISTERs with all retransmissions (32 s each) before the expiry. */
const REFRESH_MARGIN_SECONDS = 70;
/** The shortest wait before a refresh, so that a short expiry causes no loop. */
const REFRESH_SECONDS_MIN = 5;
/** Refreshes come earlier by a random share up to this, so that trunks do not refresh at the same time. */
const REFRESH_JITTER = 0.1;
/** RFC 5626 §4.5: the first wait after a failure, doubled with each, randomised between half and all of it. */
const RETRY_SECONDS = { first: 30, max: 1_800 };
/** Only a registration that lasted this long resets the retry wait. */
const STEADY_US = 120_000_000;
/** The longest wait for the registrar when a registration is removed. */
const UNREGISTER_TIMEOUT_MS = 2_000;

/** Keeps one trunk registered: refreshes in time, retries after failures, and unregisters at the end. */
export class RegistrationKeeper {
  readonly #options: RegistrationKeeperOptions;
  #state: RegistrationState = { status: 'unregistered', expiresAtMs: null, error: null };
  #cseq = 1;
  #requestedSeconds = EXPIRES_SECONDS;
  #failures = 0;
  /** The time of the first success since the last failure. */
  #registeredSinceUs: number | null = null;
  /** The registration's connection; null without one, or over UDP. */
  #connection: string | null = null;
  #stopped = false;
  #cancelTimer: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: RegistrationKeeperOptions) {
    this.#options = options;
  }

  get state(): RegistrationState {
    return this.#expired() ? { ...this.#state, status: 'failed', expiresAtMs: null } : this.#state;
  }

  start(): void {
    this.#setState({ ...this.#state, status: 'registering' });
    this.#running = this.#register();
  }

  /**
   * The registrar sends our calls over the connection of the registration (RFC 5626 §4.2). If it is lost, we
   * register again soon. null: all connections are lost.
   */
  connectionLost(connection: string | null): void {
    if (this.#connection === null || (connection !== null && connection !== this.#connection)) return;
    this.#connection = null;
    this.#cancelTimer();
    this.#retryLater('the connection was lost', 0);
  }

  /** Removes the registration. Resolves with the response, or after two seconds. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#connection = null;
    this.#cancelTimer();
    await withTimeout(this.#unregister(), UNREGISTER_TIMEOUT_MS, () => undefined, this.#options.clock);
    this.#setState({ status: 'unregistered', expiresAtMs: null, error: null });
  }

  /** Waits for a REGISTER in progress first, since it may create a registration. */
  async #unregister(): Promise<void> {
    await this.#running;
    if (this.#state.expiresAtMs !== null) await this.#send(0);
  }

  async #register(): Promise<void> {
    this.#connection = null;
    let outcome = await this.#send(this.#requestedSeconds);
    if (outcome.type === 'too_brief' && outcome.minimumSeconds > this.#requestedSeconds) {
      this.#requestedSeconds = Math.min(outcome.minimumSeconds, EXPIRES_SECONDS_MAX);
      if (!this.#stopped) outcome = await this.#send(this.#requestedSeconds);
    }
    if (outcome.type === 'registered' && outcome.expiresSeconds > 0) this.#registered(outcome);
    else if (outcome.type === 'refused') this.#retryLater(outcome.reason, outcome.retryAfterSeconds ?? 0);
    else this.#retryLater('the trunk granted no usable registration', 0);
  }

  async #send(expiresSeconds: number): Promise<RegisterOutcome> {
    const outcome = await this.#options.register({ ...this.#options.request, cseq: this.#cseq, expiresSeconds });
    this.#cseq = outcome.cseq + 1;
    return outcome;
  }

  #registered({ expiresSeconds, connection }: Extract<RegisterOutcome, { type: 'registered' }>): void {
    const { clock, random } = this.#options;
    const seconds = Math.min(expiresSeconds, EXPIRES_SECONDS_MAX);
    this.#registeredSinceUs ??= clock.nowUs();
    if (!this.#stopped) this.#connection = connection;
    this.#setState({ status: 'registered', expiresAtMs: clock.wallMs() + seconds * 1_000, error: null });
    const latest = Math.max(seconds / 2, seconds - REFRESH_MARGIN_SECONDS);
    this.#schedule(Math.max(REFRESH_SECONDS_MIN, latest * (1 - REFRESH_JITTER * random())));
  }

  /** A valid registration lasts until it expires, even if a refresh fails. */
  #retryLater(error: string, retryAfterSeconds: number): void {
    const { expiresAtMs } = this.#state;
    const isValid = expiresAtMs !== null && !this.#expired();
    this.#setState({ status: isValid ? 'registered' : 'failed', expiresAtMs: isValid ? expiresAtMs : null, error });
    if (this.#registeredSinceUs !== null && this.#options.clock.nowUs() - this.#registeredSinceUs >= STEADY_US)
      this.#failures = 0;
    this.#registeredSinceUs = null;
    const delay = backoff(RETRY_SECONDS, this.#failures);
    this.#failures += 1;
    const requestedDelay = Math.min(retryAfterSeconds, RETRY_SECONDS.max);
    this.#schedule(Math.max(requestedDelay, delay * (0.5 + 0.5 * this.#options.random())));
  }

  #schedule(seconds: number): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.#options.clock.after(Math.round(seconds * 1_000), () => {
      this.#running = this.#register();
    });
  }

  #expired(): boolean {
    const { expiresAtMs } = this.#state;
    return expiresAtMs !== null && expiresAtMs <= this.#options.clock.wallMs();
  }

  #setState(state: RegistrationState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}
