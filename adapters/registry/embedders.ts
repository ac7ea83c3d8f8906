import type { Embedder } from '../embedder/embedder.ts';
import { createEmbedder } from '../openai/embedder.ts';
import {
  accessVariables,
  likeOpenAi,
  type ProviderSettings,
  type ProviderVariable,
} from '../provider-settings/provider-access.ts';
import { OPENAI_BASE_URL } from './speech-provider-access.ts';

/** Environment variables of the embedding model. */
export const EMBEDDING_VARIABLES: readonly ProviderVariable[] = [
  { name: 'EMBEDDING_MODEL', kind: 'text' },
  ...accessVariables('EMBEDDING'),
];

/** Null if no model is named. Throws for an invalid key or base URL, naming the variable and never its value. */
export function configuredEmbedder(settings: ProviderSettings): Embedder | null {
  const access = likeOpenAi(settings, 'EMBEDDING', OPENAI_BASE_URL);
  const model = settings.EMBEDDING_MODEL;
  return model === undefined || model === '' ? null : createEmbedder(access, model);
}
