import { createHash } from 'node:crypto';
import type { AuditRecord } from '../../storage/access/audit-log-repository.ts';

/**
 * Time after a recorded access in which the same one counts as its repetition, ms. A page that is open all day then makes six records an
 * hour instead of 720, and they still show to ten minutes when it was open.
 */
export const REPETITION_MS = 600_000;
/** Accesses that are remembered; beyond it the oldest is forgotten, and a repetition of it recorded. */
const REMEMBERED_MAX = 10_000;

/** An access: all of its record that does not differ between repetitions, and its query, which selects what it reads. */
interface Access extends Omit<AuditRecord, 'id' | 'atMs'> {
  readonly query: unknown;
}

/** Recognizes the same access within ten minutes: a page that is open reads what it shows again and again. */
export class RepeatedAccesses {
  /** When the access was recorded, by the hash of its JSON, since a query may be long; the oldest first. */
  readonly #recordedMs = new Map<string, number>();

  /** Whether the same access was recorded within the last ten minutes. If not, it counts as recorded now. */
  isRepetition({ organizationId, keyId, action, targetId, address, status, query }: Access, nowMs: number): boolean {
    for (const [access, atMs] of this.#recordedMs) {
      // The wall clock may have been set back.
      if (Math.abs(nowMs - atMs) < REPETITION_MS) break;
      this.#recordedMs.delete(access);
    }
    const json = JSON.stringify([organizationId, keyId, action, targetId, address, status, query]);
    const access = createHash('sha256').update(json).digest('base64');
    const atMs = this.#recordedMs.get(access);
    if (atMs !== undefined && Math.abs(nowMs - atMs) < REPETITION_MS) return true;
    this.#recordedMs.delete(access);
    const [oldest] = this.#recordedMs.keys();
    if (this.#recordedMs.size >= REMEMBERED_MAX && oldest !== undefined) this.#recordedMs.delete(oldest);
    this.#recordedMs.set(access, nowMs);
    return false;
  }
}
