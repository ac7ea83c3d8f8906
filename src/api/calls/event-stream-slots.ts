import { FairSlots } from '../../../base/limits/fair-slots.ts';
import type { ApiKeyRecord } from '../../storage/access/organization-repository.ts';
import { ApiError } from '../errors/api-error.ts';

/** Simultaneous event streams of the node. Each holds a connection and reads the database after every write. */
const STREAMS_MAX = 200;
/** Simultaneous event streams of one API key, so that one program does not take those of its organization. */
export const KEY_STREAMS_MAX = 50;
const RETRY_AFTER_SECONDS = 5;

export const TOO_MANY_STREAMS =
  'Too many event streams are open with this key or organization: close some, or use webhooks';

/** Bounds the open event streams: a number for each key, and a share of the node's streams for each organization. */
export class EventStreamSlots {
  readonly #slots = new FairSlots(STREAMS_MAX);
  /** Open streams by key id. */
  readonly #open = new Map<string, number>();

  /**
   * Returns a function that gives the slot back; a second call has no effect. @throws ApiError 429 if the key or the organization has used
   * its share
   */
  take({ id, organizationId }: Pick<ApiKeyRecord, 'id' | 'organizationId'>): () => void {
    const open = this.#open.get(id) ?? 0;
    const release = open < KEY_STREAMS_MAX ? this.#slots.take(organizationId) : null;
    if (release === null)
      throw new ApiError('rate_limited', { message: TOO_MANY_STREAMS, retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.#open.set(id, open + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      release();
      const left = (this.#open.get(id) ?? 0) - 1;
      if (left > 0) this.#open.set(id, left);
      else this.#open.delete(id);
    };
  }
}
