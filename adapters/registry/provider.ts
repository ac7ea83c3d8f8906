import type { LanguageModel } from '../../engine/ports/language-model.ts';
import type { Transcriber } from '../../engine/ports/transcriber.ts';
import type { Voice } from '../../engine/ports/voice.ts';
import type { FetchProviderList } from '../provider-lists/provider-list.ts';
import type { ProviderCheck } from '../provider-settings/provider-access.ts';

export type ProviderKind = 'transcriber' | 'languageModel' | 'voice';

/**
 * One provider and its adapters. `setting` names the variable that configures it. A provider whose kinds are configured separately
 * has several entries.
 */
export interface Provider {
  readonly name: string;
  readonly setting: string;
  readonly isConfigured: boolean;
  /** A request that shows whether it is reachable and accepts the key. Absent: there is none. */
  readonly check?: ProviderCheck;
  /** Lists the models and voices of its adapters. Absent: it cannot name them. */
  readonly fetchList?: FetchProviderList | undefined;
  readonly transcriber?: Transcriber;
  /** Loads the official SDK of its adapters; absent: they use none. */
  readonly loadSdk?: () => Promise<unknown>;
  /** Its transcriber is ready without a request: only words or a failure show whether the provider works. */
  readonly opensWithoutRequest?: true;
  readonly languageModel?: LanguageModel;
  /** Circuit breaker of the language model, which is part of its adapter. */
  readonly circuit?: { readonly isOpen: boolean };
  readonly voice?: Voice;
  /** Its base URL; absent for a program. */
  readonly baseUrl?: string;
  /** For a provider with state per call, such as a tape: adapters for one call. */
  forCall?(): Pick<Provider, ProviderKind>;
  /** Opens a connection before a call's first request. */
  warm?(): void;
  close?(): Promise<void>;
}
