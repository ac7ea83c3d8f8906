/** The models and voices that a provider offers for one part of an agent. */
export interface ProviderList {
  readonly models: readonly string[];
  readonly voices: readonly ListedVoice[];
}

export interface ListedVoice {
  /** As an agent names it. */
  readonly name: string;
  /** For people; null: none beside the name. */
  readonly label: string | null;
  /** As the provider writes it; null: several, or unknown. */
  readonly language: string | null;
}

/** Asks a provider for its list. Rejects if it does not answer, or not as documented. */
export type FetchProviderList = (signal: AbortSignal) => Promise<ProviderList>;
