/** How a DTMF digit came, the most reliable source first: an RTP event (RFC 4733), a SIP INFO, a tone in the audio. */
export const DTMF_SOURCES = ['event', 'info', 'tone'] as const;
export type DtmfSource = (typeof DTMF_SOURCES)[number];

/** The same digit by another source within this time is the same digit: INFO takes longer through the signalling. */
const SAME_DIGIT_MS = 1000;

/**
 * Passes each DTMF digit of a call once, where a gateway sends it by several sources. Once a more reliable source was
 * used, the others are ignored; the digit that reveals it may have passed already.
 */
export class DtmfDeduplicator {
  #way: DtmfSource | null = null;
  #digit = '';
  #atMs = 0;

  /** Whether the digit counts. `nowMs` is monotonic. */
  take(way: DtmfSource, digit: string, nowMs: number): boolean {
    const before = this.#way;
    const isSurer = before === null || DTMF_SOURCES.indexOf(way) < DTMF_SOURCES.indexOf(before);
    if (!isSurer && way !== before) return false;
    const isSame = before !== null && isSurer && digit === this.#digit && nowMs - this.#atMs < SAME_DIGIT_MS;
    this.#way = way;
    this.#digit = digit;
    this.#atMs = nowMs;
    return !isSame;
  }
}
