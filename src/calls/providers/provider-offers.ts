import type { Offer } from '../../../adapters/offers/offer.ts';
import type { Registry, RegistryOffer } from '../../../adapters/registry/provider-registry.ts';
import type { Log } from '../../log/log.ts';

/** Timeout of a provider's list, ms. */
const ANSWER_MS_MAX = 5_000;
/** How long a list is kept, and how long a failure is, so that an editor does not ask a provider at each opening. Unit: ms. */
const KEPT_MS = 10 * 60_000;
const FAILURE_KEPT_MS = 30_000;
/** Entries and letters of what a provider names; the rest is left out. */
const MODELS_MAX = 1_000;
const VOICES_MAX = 1_000;
const NAME_LENGTH_MAX = 200;

/** A configured provider of one kind. */
export interface OfferedProvider extends Offer, Pick<RegistryOffer, 'provider' | 'kind'> {
  /** `unlisted`: the provider cannot name its models and voices. `failed`: it did not answer. */
  readonly status: 'listed' | 'unlisted' | 'failed';
}

interface Kept {
  readonly offered: Promise<OfferedProvider>;
  readonly untilMs: number;
}

/** What the configured providers offer. Each list is kept, one for each provider and kind; requests during a list share it. */
export class ProviderOffers {
  readonly #offers: Registry['offers'];
  readonly #log: Pick<Log, 'info'>;
  /** Monotonic time, ms. */
  readonly #nowMs: () => number;
  readonly #kept = new Map<RegistryOffer, Kept>();

  constructor({ offers }: Pick<Registry, 'offers'>, log: Pick<Log, 'info'>, nowMs: () => number) {
    this.#offers = offers;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Never rejects: a provider's failure costs its own entry only. */
  all(): Promise<readonly OfferedProvider[]> {
    return Promise.all(this.#offers.map((offer) => this.#offered(offer)));
  }

  async #offered(offer: RegistryOffer): Promise<OfferedProvider> {
    const kept = this.#kept.get(offer);
    if (kept !== undefined && this.#nowMs() < kept.untilMs) return kept.offered;
    const offered = this.#asked(offer);
    this.#kept.set(offer, { offered, untilMs: this.#nowMs() + KEPT_MS });
    if ((await offered).status === 'failed')
      this.#kept.set(offer, { offered, untilMs: this.#nowMs() + FAILURE_KEPT_MS });
    return offered;
  }

  async #asked({ kind, list, provider }: RegistryOffer): Promise<OfferedProvider> {
    const nothing = { provider, kind, models: [], voices: [] };
    if (list === null) return { ...nothing, status: 'unlisted' };
    try {
      const { models, voices } = await list(AbortSignal.timeout(ANSWER_MS_MAX));
      return {
        provider,
        kind,
        status: 'listed',
        models: models.filter(isShown).slice(0, MODELS_MAX),
        voices: voices
          .filter(({ label, language, name }) => [name, label ?? name, language ?? name].every(isShown))
          .slice(0, VOICES_MAX),
      };
    } catch (error) {
      this.#log.info({ err: error, provider, kind }, 'provider list failed');
      return { ...nothing, status: 'failed' };
    }
  }
}

function isShown(text: string): boolean {
  return text.length > 0 && text.length <= NAME_LENGTH_MAX;
}
