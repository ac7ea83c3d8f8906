/** What a provider names for one part of an agent. */
export interface Offer {
  readonly models: readonly string[];
  readonly voices: readonly OfferedVoice[];
}

export interface OfferedVoice {
  /** As an agent names it. */
  readonly name: string;
  /** For people; null: none beside the name. */
  readonly label: string | null;
  /** As the provider writes it; null: several, or unknown. */
  readonly language: string | null;
}

/** Asks a provider for its offer. Rejects if it does not answer, or not as documented. */
export type ListOffer = (signal: AbortSignal) => Promise<Offer>;
