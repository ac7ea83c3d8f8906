import type { TraceEntry } from '../../../sip/transport/trace.ts';

/** Of one dialog; a flood of re-INVITEs costs its own later messages only. */
const DIALOG_BYTES_MAX = 128 * 1024;
/** Calls of which the messages are kept: the last ones. At 8 KiB a usual dialog, 4 MiB. */
const CALLS_MAX = 512;
/** Of one call: every trunk that was tried for it, on either leg. What comes behind it is no leg of the call's. */
const LEGS_MAX = 16;
/** What is no call's, or not yet: registrations, probes, what scanners send. It drives out its like, and no call. */
const UNASSIGNED_MAX = 256;
/** Where a Call-ID stands within a message; one that stands later is none of ours. */
const HEAD_BYTES = 4096;

/** Whom a dialog of a call is with: who called us, whom we called, whom the first is bridged to. */
export type LegName = 'caller' | 'callee' | 'bridge';

interface Trace {
  readonly entries: TraceEntry[];
  bytes: number;
}

/** One dialog of a call, answered or not. */
export interface TracedLeg {
  /** The leg's, with a number from the second of its kind on. */
  readonly name: string;
  readonly sipCallId: string;
  /** In the order in which they were sent and received. */
  readonly entries: readonly TraceEntry[];
}

/** The SIP messages of the last calls, in memory: a restart forgets them. */
export class SipTraces {
  /** By the id of the call. */
  readonly #calls = new Map<string, TracedLeg[]>();
  /** By Call-ID, as the next. Each is a leg of one of the calls. */
  readonly #legs = new Map<string, Trace>();
  readonly #unassigned = new Map<string, Trace>();

  take(entry: TraceEntry): void {
    const { bytes } = entry;
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1');
    const sipCallId = /^(?:Call-ID|i)[ \t]*:[ \t]*(\S+)[ \t]*\r?$/im.exec(head)?.[1];
    if (sipCallId === undefined) return;
    const trace = this.#legs.get(sipCallId) ?? this.#unassigned.get(sipCallId) ?? this.#addUnassigned(sipCallId);
    trace.bytes += bytes.length;
    if (trace.bytes <= DIALOG_BYTES_MAX) trace.entries.push(entry);
  }

  /** The dialog of that Call-ID is a leg of the call: what came of it so far, and what is still to come. */
  assignLeg(callId: string, leg: LegName, sipCallId: string): void {
    const legs = this.#calls.get(callId) ?? this.#call(callId);
    if (legs.length >= LEGS_MAX || legs.some((known) => known.sipCallId === sipCallId)) return;
    // Where one of our calls has called another, the dialog is a leg of both.
    const trace = this.#legs.get(sipCallId) ?? this.#unassigned.get(sipCallId) ?? { entries: [], bytes: 0 };
    this.#unassigned.delete(sipCallId);
    this.#legs.set(sipCallId, trace);
    const before = legs.filter(({ name }) => name === leg || name.startsWith(`${leg} `)).length;
    legs.push({ name: before === 0 ? leg : `${leg} ${before + 1}`, sipCallId, entries: trace.entries });
  }

  /** In the order in which they began; those of which nothing came or went are left out. */
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
