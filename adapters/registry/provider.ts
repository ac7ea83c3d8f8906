import type { LanguageModel } from '../../engine/ports/language-model.ts';
import type { Transcriber } from '../../engine/ports/transcriber.ts';
import type { Voice } from '../../engine/ports/voice.ts';
import type { ProviderCheck } from '../provider-settings/provider-access.ts';

export type ProviderKind = 'transcriber' | 'languageModel' | 'voice';

/**
 * One provider, with what it can be. `setting` names the variable that configures it. Where the kinds of one name are
 * configured apart, it comes in several parts.
 */
export interface Provider {
  readonly name: string;
  readonly setting: string;
  readonly isConfigured: boolean;
  /** How to see whether it answers, and takes the key; absent: there is nothing to ask. */
  readonly check?: ProviderCheck;
  readonly transcriber?: Transcriber;
  /** Its transcriber is ready before it has asked anybody: only words, or a failure, tell how it is. */
  readonly opensWithoutRequest?: true;
  readonly languageModel?: LanguageModel;
  readonly voice?: Voice;
  /** Where it is reached; absent: nowhere, as a program. */
  readonly baseUrl?: string;
  /** Of a provider that knows what has gone before in a call, such as a tape: its adapters for one call alone. */
  forCall?(): Pick<Provider, ProviderKind>;
  /** Dials ahead of a call's first request. */
  warm?(): void;
  close?(): Promise<void>;
}
