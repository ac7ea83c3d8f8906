import type { ProviderVariable } from '../provider-settings/provider-access.ts';
import { EMBEDDING_VARIABLES } from './embedders.ts';
import { LANGUAGE_MODEL_VARIABLES } from './language-models.ts';
import { SPEECH_VARIABLES } from './speech-provider-access.ts';

/** The environment variables that configure providers. */
export const PROVIDER_VARIABLES: readonly ProviderVariable[] = [
  ...LANGUAGE_MODEL_VARIABLES,
  ...SPEECH_VARIABLES,
  ...EMBEDDING_VARIABLES,
];
