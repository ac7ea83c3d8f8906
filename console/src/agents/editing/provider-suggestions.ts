import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../../api/connection.ts';
import { listProviders, type Provider } from '../../generated/client.ts';
import { textAt } from '../document/document-edit.ts';

/** The service keeps the lists as long. */
const STALE_MS = 10 * 60_000;

/** A suggestion of a field. Any other text may be typed. */
export interface FieldSuggestion {
  readonly value: string;
  readonly label: string;
}

/** The providers that the service has. Without them the fields offer nothing. */
export function useProviders() {
  return useQuery({
    queryKey: ['providers'],
    queryFn: async () => (await bodyOf(listProviders())).data,
    staleTime: STALE_MS,
    retry: false,
  });
}

/** For the fields of one part of an agent: the names of its provider, or of all while it names none. */
export function fieldSuggestions(providers: readonly Provider[], document: unknown, kind: Provider['kind']) {
  const named = textAt(document, [kind, 'provider']);
  const ofKind = providers.filter((one) => one.kind === kind);
  const chosen = ofKind.filter(({ provider }) => named === '' || provider === named);
  return {
    providers: unique(ofKind.map(({ provider }) => ({ value: provider, label: provider }))),
    models: unique(chosen.flatMap(({ models }) => models.map((model) => ({ value: model, label: model })))),
    voices: unique(
      chosen.flatMap(({ voices }) =>
        voices.map(({ label, language, name }) => ({
          value: name,
          label: [label ?? name, language].filter((text) => text !== null).join(' · '),
        })),
      ),
    ),
  };
}

function unique(suggestions: readonly FieldSuggestion[]): readonly FieldSuggestion[] {
  return [...new Map(suggestions.map((one) => [one.value, one])).values()];
}
