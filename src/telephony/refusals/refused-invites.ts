import type { Refusal } from './refusal-cause.ts';

/** The last refusals of an organization. Older ones are dropped. */
export const REFUSALS_MAX = 100;
/** Organizations with refusals: with `REFUSALS_MAX` of 300 bytes each, 8 MB. The one with the first refusal is dropped. */
const ORGANIZATIONS_MAX = 256;

/** A refused INVITE as it is shown: numbers are masked. */
export interface RefusedInvite extends Pick<Refusal, 'cause' | 'status' | 'detail'> {
  readonly atMs: number;
  /** Address of the peer. */
  readonly source: string;
  /** User part of From; null without one. */
  readonly from: string | null;
  /** User part of the Request-URI; null without one. */
  readonly to: string | null;
}

/** The latest refused INVITEs of each organization, in memory only: a restart deletes them. */
export class RefusedInvites {
  readonly #byOrganization = new Map<string, RefusedInvite[]>();

  /** @param organizations those that may see it; none for an INVITE that concerns no organization. */
  add(refused: RefusedInvite, organizations: readonly string[]): void {
    for (const id of organizations) {
      const latest = this.#byOrganization.get(id) ?? [];
      latest.unshift(refused);
      latest.length = Math.min(latest.length, REFUSALS_MAX);
      // After the others: the first is the organization without a refusal for longest.
      this.#byOrganization.delete(id);
      this.#byOrganization.set(id, latest);
      const [oldest] = this.#byOrganization.keys();
      if (this.#byOrganization.size > ORGANIZATIONS_MAX && oldest !== undefined) this.#byOrganization.delete(oldest);
    }
  }

  /** Newest first. */
  of(organizationId: string): readonly RefusedInvite[] {
    return this.#byOrganization.get(organizationId) ?? [];
  }
}
