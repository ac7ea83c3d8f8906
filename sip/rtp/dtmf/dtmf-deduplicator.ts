/** Sources of a DTMF digit, the most reliable first: RTP event (RFC 4733), SIP INFO, tone in the audio. */
export const DTMF_SOURCES = ['event', 'info', 'tone'] as const;
export type DtmfSource = (typeof DTMF_SOURCES)[number];

/** The same digit from another source within this time is a duplicate. SIP INFO arrives later than media. */
const DUPLICATE_MS = 1000;

/**
 * Accepts each DTMF digit of a call once, if a gateway sends it by several sources. After a digit from a more reliable
 * source, the less reliable sources are ignored. Its first digit may be a duplicate of an accepted one.
 */
export class DtmfDeduplicator {
  #source: DtmfSource | null = null;
  #digit = '';
  #atMs = 0;

  /** Whether the digit is accepted. `nowMs` is monotonic. */
  take(source: DtmfSource, digit: string, nowMs: number): boolean {
    const previous = this.#source;
    const isMoreReliable = previous === null || DTMF_SOURCES.indexOf(source) < DTMF_SOURCES.indexOf(previous);
    if (!isMoreReliable && source !== previous) return false;
    const isDuplicate =
      previous !== null && isMoreReliable && digit === this.#digit && nowMs - this.#atMs < DUPLICATE_MS;
    this.#source = source;
    this.#digit = digit;
    this.#atMs = nowMs;
    return !isDuplicate;
  }
}
