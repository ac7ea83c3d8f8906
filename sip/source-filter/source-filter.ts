import { AddressSet } from '../../base/network/address-set.ts';
import { sourceNetworkOf } from '../../base/network/source-network.ts';
import type { Clock } from '../../base/time/clock.ts';
import { ChallengedInvites } from './challenged-invites.ts';
import { previewMessage } from './message-preview.ts';
import { type SourceFilterLimits, UNKNOWN_SOURCES_SHARE_MAX } from './source-filter-limits.ts';
import { SourceRateLimiter } from './source-rate-limiter.ts';

/** Cached look-ups in the list. Beyond: the cache is cleared. */
const LISTED_CACHE_MAX = 4_096;

/** Key of the bucket that all unknown sources share. */
const EVERY_SOURCE = '';

/** Final responses that reveal a wrong guess: a number, a call id or a password. */
const WRONG_GUESS_STATUSES = [401, 403, 404];

/** The sources that may call. Plain data: it crosses into the worker. */
export interface AllowedSources {
  /** Addresses and CIDR ranges of the trunks. */
  readonly listed: readonly string[];
  /** Unknown sources may call too. */
  readonly open: boolean;
}

export const ALL_SOURCES: AllowedSources = { listed: [], open: true };

export interface SourceFilterCounters {
  /** Messages of addresses that no trunk allows. */
  unknownSources: number;
  /** Messages of tools that search for open SIP ports. */
  scanners: number;
  /** Messages over the rate of their source. */
  overRate: number;
  /** INVITEs rejected because their source failed too often. */
  invitesLimited: number;
}

/** The application's first response to an INVITE of `acceptsInvite`. */
export interface InviteOutcome {
  readonly callId: string;
  readonly status: number;
  /** A 401 that answers no guess: the INVITE had no credentials, or correct ones with an old nonce. */
  readonly isChallenged: boolean;
}

export interface SourceFilterOptions {
  readonly limits: SourceFilterLimits;
  readonly clock: Pick<Clock, 'nowUs'>;
  /** Whether a dialog or transaction has this Call-ID. */
  readonly hasCall: (callId: string) => boolean;
}

/**
 * Decides which packets are parsed. Packets of our calls always are, within the rate of their source. Of the rest:
 * packets of listed addresses and, if the list is open, of unknown sources that are not scanners, with bounded wrong
 * guesses each and together. Rejected packets get no answer: a scanner learns nothing from silence, and a forged source
 * address receives nothing.
 */
export class SourceFilter {
  readonly counters: SourceFilterCounters = { unknownSources: 0, scanners: 0, overRate: 0, invitesLimited: 0 };
  readonly #options: SourceFilterOptions;
  readonly #allSources: SourceRateLimiter;
  readonly #unknownSources: SourceRateLimiter;
  readonly #guesses: SourceRateLimiter;
  readonly #guessesOfAll: SourceRateLimiter;
  readonly #challenged = new ChallengedInvites();
  #listed = new AddressSet([]);
  #isOpen = true;
  readonly #listedCache = new Map<string, boolean>();

  constructor(options: SourceFilterOptions) {
    this.#options = options;
    const { limits } = options;
    this.#allSources = new SourceRateLimiter(limits.messagesPerSecondPerAddress);
    this.#unknownSources = new SourceRateLimiter(limits.unknownSourceMessagesPerSecond);
    this.#guesses = new SourceRateLimiter(limits.wrongGuessesPerSecondPerSource, limits.wrongGuessesPerSourceMax);
    this.#guessesOfAll = new SourceRateLimiter(limits.wrongGuessesPerSecond, limits.wrongGuessesMax);
  }

  /** Replaces the allowed sources. */
  setAllowedSources({ listed, open }: AllowedSources): void {
    this.#listed = new AddressSet(listed);
    this.#isOpen = open;
    this.#listedCache.clear();
  }

  isListed(address: string): boolean {
    const cached = this.#listedCache.get(address);
    if (cached !== undefined) return cached;
    if (this.#listedCache.size >= LISTED_CACHE_MAX) this.#listedCache.clear();
    const isListed = this.#listed.has(address);
    this.#listedCache.set(address, isListed);
    return isListed;
  }

  /**
   * Whether a new connection is accepted. An unknown source may hold one for half a minute without a message.
   * @param load the share of the connections in use, 0–1.
   */
  acceptsConnection(address: string, load: number): boolean {
    return this.isListed(address) || load < UNKNOWN_SOURCES_SHARE_MAX;
  }

  /** Whether to parse a message. Counts rejected messages. */
  accepts(bytes: Uint8Array, address: string): boolean {
    const { counters } = this;
    const nowUs = this.#options.clock.nowUs();
    let limiter = this.#allSources;
    let source = address;
    if (!this.isListed(address)) {
      source = sourceNetworkOf(address);
      const { callId, isScanner } = previewMessage(bytes);
      if (callId === null || !this.#options.hasCall(callId)) {
        limiter = this.#unknownSources;
        if (isScanner) counters.scanners += 1;
        else if (!this.#isOpen) counters.unknownSources += 1;
        if (isScanner || !this.#isOpen) return false;
      }
    }
    const isWithinRate = limiter.tryTake(source, nowUs);
    if (!isWithinRate) counters.overRate += 1;
    return isWithinRate;
  }

  /**
   * Whether a new INVITE of an unknown source becomes a call attempt. Counts rejected INVITEs.
   * @param load the share of the transactions in use, 0–1.
   */
  acceptsInvite(address: string, load: number): boolean {
    const nowUs = this.#options.clock.nowUs();
    const isAccepted =
      load < UNKNOWN_SOURCES_SHARE_MAX &&
      this.#guesses.tryTake(sourceNetworkOf(address), nowUs) &&
      this.#guessesOfAll.tryTake(EVERY_SOURCE, nowUs);
    if (!isAccepted) this.counters.invitesLimited += 1;
    return isAccepted;
  }

  /** A success refunds its token, and the one of the challenge that it answers. */
  recordInviteOutcome(address: string, { callId, isChallenged, status }: InviteOutcome): void {
    const source = sourceNetworkOf(address);
    if (isChallenged) this.#challenged.add(source, callId);
    if (WRONG_GUESS_STATUSES.includes(status)) return;
    const tokens = this.#challenged.tokensOfSuccess(source, callId);
    this.#guesses.refund(source, tokens);
    this.#guessesOfAll.refund(EVERY_SOURCE, tokens);
  }
}
