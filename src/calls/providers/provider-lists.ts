import type { ProviderList } from '../../../adapters/provider-lists/provider-list.ts';
import type { Registry, RegistryList } from '../../../adapters/registry/provider-registry.ts';
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
export interface ListedProvider extends ProviderList, Pick<RegistryList, 'provider' | 'kind'> {
  /** `unlisted`: the provider cannot name its models and voices. `failed`: it did not answer. */
  readonly status: 'listed' | 'unlisted' | 'failed';
}

interface Kept {
  readonly listed: Promise<ListedProvider>;
  readonly untilMs: number;
}

/**
 * The models and voices of the configured providers. Each list is kept, one for each provider and kind. Requests that come while it is
 * fetched share it.
 */
export class ProviderLists {
  readonly #lists: Registry['lists'];
  readonly #log: Pick<Log, 'info'>;
  /** Monotonic time, ms. */
  readonly #nowMs: () => number;
  readonly #kept = new Map<RegistryList, Kept>();

  constructor({ lists }: Pick<Registry, 'lists'>, log: Pick<Log, 'info'>, nowMs: () => number) {
    this.#lists = lists;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Never rejects: a provider's failure affects only its entry. */
  all(): Promise<readonly ListedProvider[]> {
    return Promise.all(this.#lists.map((list) => this.#keptOrFetched(list)));
  }

  async #keptOrFetched(list: RegistryList): Promise<ListedProvider> {
    const kept = this.#kept.get(list);
    if (kept !== undefined && this.#nowMs() < kept.untilMs) return kept.listed;
    const listed = this.#fetched(list);
    this.#kept.set(list, { listed, untilMs: this.#nowMs() + KEPT_MS });
    if ((await listed).status === 'failed') this.#kept.set(list, { listed, untilMs: this.#nowMs() + FAILURE_KEPT_MS });
    return listed;
  }

  async #fetched({ kind, fetchList, provider }: RegistryList): Promise<ListedProvider> {
    const nothing = { provider, kind, models: [], voices: [] };
    if (fetchList === null) return { ...nothing, status: 'unlisted' };
    try {
      const { models, voices } = await fetchList(AbortSignal.timeout(ANSWER_MS_MAX));
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
