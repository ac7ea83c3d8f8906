import { previewCallId } from '../../../sip/message/header-text.ts';
import type { TraceEntry } from '../../../sip/transport/trace-entry.ts';

/** Bytes per dialog. A flood of re-INVITEs only affects later messages of the same dialog. */
const DIALOG_BYTES_MAX = 128 * 1024;
/** Number of latest calls with stored messages. At 8 KiB per typical dialog, 4 MiB. */
const CALLS_MAX = 512;
/** Legs per call: every trunk that was tried. Further legs are ignored. */
const LEGS_MAX = 16;
/** Dialogs without a call (yet): registrations, probes, scanners. They only displace each other, never calls. */
const UNASSIGNED_MAX = 256;

/** Peer of a dialog: the caller, the callee, or the bridged party. */
export type LegName = 'caller' | 'callee' | 'bridge';

interface Trace {
  readonly entries: TraceEntry[];
  bytes: number;
}

/** One dialog of a call, also unanswered. */
export interface TracedLeg {
  /** Name of the leg, numbered from the second of its kind. */
  readonly name: string;
  readonly sipCallId: string;
  /** Messages in chronological order. */
  readonly entries: readonly TraceEntry[];
}

/** SIP messages of the latest calls, in memory only: a restart deletes them. */
export class SipTraces {
  /** By call id. */
  readonly #calls = new Map<string, TracedLeg[]>();
  /** By SIP Call-ID. Each is a leg of a stored call. */
  readonly #legs = new Map<string, Trace>();
  readonly #unassigned = new Map<string, Trace>();

  take(entry: TraceEntry): void {
    const { bytes } = entry;
    const sipCallId = previewCallId(bytes);
    if (sipCallId === null) return;
    const trace = this.#legs.get(sipCallId) ?? this.#unassigned.get(sipCallId) ?? this.#addUnassigned(sipCallId);
    trace.bytes += bytes.length;
    if (trace.bytes <= DIALOG_BYTES_MAX) trace.entries.push(entry);
  }

  /** Assigns the dialog of a Call-ID to a call, with its past and future messages. */
  assignLeg(callId: string, leg: LegName, sipCallId: string): void {
    const legs = this.#calls.get(callId) ?? this.#call(callId);
    if (legs.length >= LEGS_MAX || legs.some((known) => known.sipCallId === sipCallId)) return;
    // If one call of the service has called another, the dialog is a leg of both.
    const trace = this.#legs.get(sipCallId) ?? this.#unassigned.get(sipCallId) ?? { entries: [], bytes: 0 };
    this.#unassigned.delete(sipCallId);
    this.#legs.set(sipCallId, trace);
    const before = legs.filter(({ name }) => name === leg || name.startsWith(`${leg} `)).length;
    legs.push({ name: before === 0 ? leg : `${leg} ${before + 1}`, sipCallId, entries: trace.entries });
  }

  /** Legs in the order of their start, without legs that have no messages. */
  of(callId: string): readonly TracedLeg[] {
    return (this.#calls.get(callId) ?? []).filter(({ entries }) => entries.length > 0);
  }

  #addUnassigned(sipCallId: string): Trace {
    const trace = { entries: [], bytes: 0 };
    this.#unassigned.set(sipCallId, trace);
    const [oldest] = this.#unassigned.keys();
    if (this.#unassigned.size > UNASSIGNED_MAX && oldest !== undefined) this.#unassigned.delete(oldest);
    return trace;
  }

  #call(callId: string): TracedLeg[] {
    const legs: TracedLeg[] = [];
    this.#calls.set(callId, legs);
    const [oldest] = this.#calls;
    if (this.#calls.size > CALLS_MAX && oldest !== undefined) {
      this.#calls.delete(oldest[0]);
      for (const { sipCallId } of oldest[1]) this.#legs.delete(sipCallId);
    }
    return legs;
  }
}
