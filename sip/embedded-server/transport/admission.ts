import { AddressSet } from '../../../base/network/address-set.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { ServerLimits } from '../limits.ts';
import { holderOf } from './holder.ts';
import { peek } from './peek.ts';
import { SourceLimiter } from './source-limiter.ts';

/** Addresses of which it is remembered whether they are listed. Beyond: all of them are looked up anew. */
const VERDICTS_MAX = 4_096;

/** The one bucket that all strangers share. */
const ALL = '';

/** Final responses that tell a caller that he guessed wrong: a number, a call id or a password. */
const MISSES = [401, 403, 404];

export interface AdmissionCounters {
  /** Messages of addresses that no trunk allows. */
  strangers: number;
  /** Messages of tools that search for open SIP ports. */
  scanners: number;
  /** Messages over the rate of their source. */
  overRate: number;
  /** INVITEs of addresses that guessed wrong too often. */
  triesLimited: number;
}

export interface AdmissionOptions {
  readonly limits: ServerLimits;
  readonly clock: Pick<Clock, 'nowUs'>;
  /** Whether something of ours that lives has this Call-ID. */
  readonly knowsCall: (callId: string) => boolean;
}

/**
 * Who of those that come from outside is heard. What belongs to a call of ours always is, within the rate of its source. Of
 * the rest: what comes from a listed address; where the list is open, others too, if they are no scanners, and a bounded
 * number of wrong guesses each and together. What is not heard gets no answer: silence tells a scanner nothing, and no
 * address that somebody else writes into his packets is answered.
 */
export class Admission {
  readonly counters: AdmissionCounters = { strangers: 0, scanners: 0, overRate: 0, triesLimited: 0 };
  readonly #options: AdmissionOptions;
  readonly #peers: SourceLimiter;
  readonly #strangers: SourceLimiter;
  readonly #tries: SourceLimiter;
  readonly #triesOfAll: SourceLimiter;
  #listed = new AddressSet([]);
  #isOpen = true;
  readonly #verdicts = new Map<string, boolean>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    const { limits } = options;
    this.#peers = new SourceLimiter(limits.messagesPerSecondPerAddress);
    this.#strangers = new SourceLimiter(limits.strangerMessagesPerSecondPerAddress);
    this.#tries = new SourceLimiter(limits.wrongTriesPerSecondPerAddress, limits.wrongTriesPerAddressMax);
    this.#triesOfAll = new SourceLimiter(limits.wrongTriesPerSecond, limits.wrongTriesMax);
  }

  /** From now on. */
  allow({ listed, open }: SourceList): void {
    this.#listed = new AddressSet(listed);
    this.#isOpen = open;
    this.#verdicts.clear();
  }

  isListed(address: string): boolean {
    const known = this.#verdicts.get(address);
    if (known !== undefined) return known;
    if (this.#verdicts.size >= VERDICTS_MAX) this.#verdicts.clear();
    const verdict = this.#listed.has(address);
    this.#verdicts.set(address, verdict);
    return verdict;
  }

  /** Whether a message is to be read. One that is not was counted. */
  admits(bytes: Uint8Array, address: string): boolean {
    const { counters } = this;
    const nowUs = this.#options.clock.nowUs();
    let limiter = this.#peers;
    let source = address;
    if (!this.isListed(address)) {
      source = holderOf(address);
      const { callId, isScanner } = peek(bytes);
      if (callId === null || !this.#options.knowsCall(callId)) {
        limiter = this.#strangers;
        if (isScanner) counters.scanners += 1;
        else if (!this.#isOpen) counters.strangers += 1;
        if (isScanner || !this.#isOpen) return false;
      }
    }
    const admitted = limiter.admit(source, nowUs);
    if (!admitted) counters.overRate += 1;
    return admitted;
  }

  /** Whether a new INVITE of an address that is not listed may ask for somebody. */
  mayTry(address: string, hasRoom: boolean): boolean {
    const nowUs = this.#options.clock.nowUs();
    const may = hasRoom && this.#tries.admit(holderOf(address), nowUs) && this.#triesOfAll.admit(ALL, nowUs);
    if (!may) this.counters.triesLimited += 1;
    return may;
  }

  /**
   * What came of that try. One that found somebody counts for nothing, and neither does the challenge that its proof
   * answers.
   */
  tried(address: string, status: number, hasProof: boolean): void {
    if (MISSES.includes(status)) return;
    const tokens = hasProof ? 2 : 1;
    this.#tries.giveBack(holderOf(address), tokens);
    this.#triesOfAll.giveBack(ALL, tokens);
  }
}

/** Plain data: it crosses into the worker. */
export interface SourceList {
  /** Addresses and CIDR ranges that trunks name as theirs. */
  readonly listed: readonly string[];
  /** Calls of other addresses may be wanted too. */
  readonly open: boolean;
}

export const OPEN_TO_ALL: SourceList = { listed: [], open: true };
