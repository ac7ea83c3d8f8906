import { isVoiceName } from '../../../adapters/registry/voice-names.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { ErrorDetail } from '../errors/api-error.ts';

const CONTROL = /\p{Cc}/u;
const NO_CONTROL = 'expected a name without control characters';

/** Names of voices and models that no call could use: control characters, or another syntax than that of the provider. */
export function providerNameFaults(configuration: AgentConfiguration, transcriberField: string): ErrorDetail[] {
  const { fallbacks, llm, states, transcriber, voice } = configuration;
  return [
    ...nameFaults('llm', llm),
    ...nameFaults('voice', voice),
    ...nameFaults(transcriberField, transcriber),
    ...states.flatMap((state, index) => (state.llm === undefined ? [] : nameFaults(`states[${index}].llm`, state.llm))),
    ...fallbacks.llm.flatMap((fallback, index) => nameFaults(`fallbacks.llm[${index}]`, fallback)),
    ...fallbacks.voice.flatMap((fallback, index) => nameFaults(`fallbacks.voice[${index}]`, fallback)),
    ...fallbacks.transcriber.flatMap((fallback, index) => nameFaults(`fallbacks.transcriber[${index}]`, fallback)),
  ];
}

interface Named {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** Name of a voice. */
  readonly name?: string | undefined;
}

function nameFaults(path: string, { model = '', name = '', provider = '' }: Named): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if (CONTROL.test(model)) faults.push({ field: `${path}.model`, message: NO_CONTROL });
  if (CONTROL.test(name)) faults.push({ field: `${path}.name`, message: NO_CONTROL });
  else if (name !== '' && !isVoiceName(provider, name)) {
    faults.push({ field: `${path}.name`, message: `expected the name of a voice of ${provider}` });
  }
  return faults;
}
