import type { InboxRecord } from '../../../engine/core/event.ts';
import type { CallSpan, NetworkSample, SpansEntry } from '../../../engine/timeline/call-span.ts';
import { SpanCollector } from '../../../engine/timeline/span-collector.ts';
import type { MediaSession } from '../../../sip/media/media-service.ts';
import type { DirectionQuality } from '../../../sip/media/quality/media-quality.ts';
import { redactedSpan } from '../redaction/redacted-span.ts';

/** Spans that wait for the next journal entry; more are stored at once. A turn has about ten. */
const PENDING_MAX = 64;
/** Shortest interval between two samples of the network, in µs: as often as peers send RTCP reports (RFC 3550 §6.2). */
const NETWORK_INTERVAL_US = 5_000_000;

export interface SpanRecorderOptions {
  /** Gets spans that do not wait for a journal entry. */
  readonly store: (entry: SpansEntry) => void;
  /** Redacts an error when its span ends: later the recording may have been resumed. */
  readonly redact: (text: string) => string;
}

/**
 * Collects what the timeline of a call needs besides its journal. Spans wait for the next journal entry and are stored in its
 * transaction, so that they cost no additional write. The network is sampled with the events of the call: no timer, no
 * work per packet.
 */
export class SpanRecorder {
  readonly #collector = new SpanCollector();
  readonly #session: Pick<MediaSession, 'qualityInterval'>;
  readonly #options: SpanRecorderOptions;
  #pending: CallSpan[] = [];
  #part = 0;
  #sampledUs = 0;

  constructor(session: Pick<MediaSession, 'qualityInterval'>, options: SpanRecorderOptions) {
    this.#session = session;
    this.#options = options;
  }

  add(record: InboxRecord): void {
    for (const span of this.#collector.add(record)) this.#pending.push(redactedSpan(span, this.#options.redact));
    const isLast = record.event.type === 'control.ended';
    if (isLast || record.atUs - this.#sampledUs >= NETWORK_INTERVAL_US) this.#sample(record.atUs);
    if (this.#pending.length < PENDING_MAX) return;
    const entry = this.take();
    if (entry !== null) this.#options.store(entry);
  }

  /** The spans that have ended since the last call; null without any. */
  take(): SpansEntry | null {
    if (this.#pending.length === 0) return null;
    const spans = this.#pending;
    this.#pending = [];
    return { type: 'spans', part: ++this.#part, spans };
  }

  #sample(toUs: number): void {
    const quality = this.#session.qualityInterval?.() ?? null;
    const fromUs = this.#sampledUs;
    this.#sampledUs = toUs;
    if (quality === null) return;
    const { inbound, outbound, roundTripMs } = quality;
    const span = this.#collector.sample({
      type: 'network',
      fromUs,
      toUs,
      inbound: sampleOf(inbound),
      outbound: sampleOf(outbound),
      roundTripMs: roundTripMs?.mean ?? null,
    });
    this.#pending.push(...span);
  }
}

function sampleOf({ jitterMs, lost, mos, packets }: DirectionQuality): NetworkSample {
  return { packets, lost, jitterMs: jitterMs?.mean ?? null, mos };
}
