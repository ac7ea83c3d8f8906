/** How a key came, the surest way first: an event in RTP (RFC 4733), a SIP INFO, a tone in the audio. */
export const DTMF_SOURCES = ['event', 'info', 'tone'] as const;
export type DtmfSource = (typeof DTMF_SOURCES)[number];

/** The same digit by another way within this is the same key: INFO goes by the signalling's detours. */
const SAME_KEY_MS = 1000;

/**
 * Lets each key of a call through once, also where a gateway sends it in several ways. Once a surer way was used, the others
 * are not listened to any more; the key with which that shows was heard already.
 */
export class DtmfDeduplicator {
  #way: DtmfSource | null = null;
  #digit = '';
  #atMs = 0;

  /** Whether the key counts. `nowMs` is monotonic. */
  take(way: DtmfSource, digit: string, nowMs: number): boolean {
    const before = this.#way;
    const isSurer = before === null || DTMF_SOURCES.indexOf(way) < DTMF_SOURCES.indexOf(before);
    if (!isSurer && way !== before) return false;
    const isSame = before !== null && isSurer && digit === this.#digit && nowMs - this.#atMs < SAME_KEY_MS;
    this.#way = way;
    this.#digit = digit;
    this.#atMs = nowMs;
    return !isSame;
  }
}
