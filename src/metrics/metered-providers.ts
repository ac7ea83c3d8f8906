import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { CallProviders } from '../calls/call-launcher.ts';
import type { Metrics, ProviderPart } from './metrics.ts';

/** The same adapters of one call; every failure that they tell is counted. */
export function meteredProviders(providers: CallProviders, metrics: Metrics): CallProviders {
  const { transcriber, model, voice } = providers;
  return {
    ...providers,
    transcriber: {
      traitsOf: (model) => transcriber.traitsOf(model),
      open: (options, emit) => transcriber.open(options, counting('transcriber', emit, metrics)),
    },
    model: { generate: (request, emit) => model.generate(request, counting('language_model', emit, metrics)) },
    voice: { open: (options, emit) => voice.open(options, counting('voice', emit, metrics)) },
  };
}

type PortEvent = { readonly type: string; readonly error?: ProviderError };

/** The event goes its way first: what is counted must not delay what is spoken. */
function counting<Event extends PortEvent | { readonly type: string }>(
  part: ProviderPart,
  emit: (event: Event) => void,
  metrics: Metrics,
): (event: Event) => void {
  return (event) => {
    emit(event);
    if (event.type === 'failed' && 'error' in event && event.error !== undefined) {
      metrics.providerFailed(part, event.error);
    }
  };
}
