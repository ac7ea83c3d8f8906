import type { SpokenPiece, TranscriptEntry } from '../../../engine/ports/journal.ts';
import type { RedactedSpan } from '../../../engine/redaction/dictated-pieces.ts';

type UserEntry = Extract<TranscriptEntry, { readonly role: 'user' | 'dtmf' }>;
type AgentEntry = Extract<TranscriptEntry, { readonly role: 'agent' }>;

/** `audio`: positions in the user's audio; `engine`: engine time. In ms. */
export interface SpokenTime {
  readonly clock: 'audio' | 'engine';
  readonly fromMs: number;
  readonly toMs: number;
}

/** The text of pieces; a span of it leads back to them. */
export function spokenText(pieces: readonly SpokenPiece[]): string {
  return pieces.map(({ content }) => content).join(' ');
}

/** When the redacted words of a call were said, by transcript entry. An entry that is written again replaces its times. */
export class SpokenTimes {
  readonly #times = new Map<number, readonly SpokenTime[]>();
  /** Starts of the user's entries that end in digits which may become a number. */
  readonly #openMs = new Map<number, number>();
  #latestMs = 0;

  /** `spans`: of the content of the entry. */
  ofUser(entry: UserEntry, spans: readonly RedactedSpan[]): void {
    const { endUs, sequence } = entry;
    const startMs = entry.startUs / 1000;
    this.#latestMs = Math.max(this.#latestMs, startMs);
    if (spans.some(({ entity }) => entity === 'number')) this.#openMs.set(sequence, startMs);
    else this.#openMs.delete(sequence);
    const pieces = entry.role === 'user' ? (entry.spoken ?? []) : [];
    const engineTime = { clock: 'engine' as const, fromMs: startMs, toMs: Math.max(startMs, (endUs ?? 0) / 1000) };
    // If the pieces are not the words of the entry, all of it counts.
    const isTimed = spokenText(pieces) === entry.content.replace(/\s+/g, ' ');
    const wholeEntry = { from: 0, to: spokenText(pieces).length };
    if (spans.length === 0) this.#times.delete(sequence);
    else if (pieces.length === 0) this.#times.set(sequence, [engineTime]);
    else this.#times.set(sequence, timesOf('audio', pieces, isTimed ? spans : [wholeEntry]));
  }

  /** What is hidden of the entry now stays hidden until the call ends. */
  judged(sequence: number): void {
    this.#openMs.delete(sequence);
  }

  /** `spans`: of the `spokenText` of the entry. A segment counts as a whole. */
  ofAgent({ endUs, sequence, spoken = [] }: AgentEntry, spans: readonly RedactedSpan[]): void {
    // The rest of an interrupted segment was not said.
    const endMs = endUs === null ? Number.POSITIVE_INFINITY : endUs / 1000;
    const times = timesOf('engine', spoken, spans).map((time) => ({ ...time, toMs: Math.min(time.toMs, endMs) }));
    this.#times.set(sequence, times);
  }

  get all(): readonly SpokenTime[] {
    return [...this.#times.values()].flat();
  }

  /** Engine time; what was said before is judged, since the user has said more. */
  get judgedMs(): number {
    return Math.min(this.#latestMs, ...this.#openMs.values());
  }
}

type Span = Pick<RedactedSpan, 'from' | 'to'>;

/** One time a span: from the start of its first piece to the end of its last one. */
function timesOf(
  clock: SpokenTime['clock'],
  pieces: readonly SpokenPiece[],
  spans: readonly Span[],
): readonly SpokenTime[] {
  let from = 0;
  const placed = pieces.map(({ content, endMs, startMs }) => {
    const start = from;
    from += content.length + 1;
    return { startMs, endMs, from: start, to: start + content.length };
  });
  // A number that is repeated is found as an entity and as known.
  const isWithin = (span: Span, other: Span) => other.from <= span.from && other.to >= span.to;
  const distinct = spans.filter((span, nth) => !spans.slice(0, nth).some((other) => isWithin(span, other)));
  return distinct.flatMap((span) => {
    const touched = placed.filter((piece) => piece.from < span.to && piece.to > span.from);
    if (touched.length === 0) return [];
    const fromMs = Math.min(...touched.map(({ startMs }) => startMs));
    return [{ clock, fromMs, toMs: Math.max(...touched.map(({ endMs }) => endMs)) }];
  });
}
