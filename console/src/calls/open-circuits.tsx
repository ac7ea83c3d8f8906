import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { listProviders } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';

/** How often the circuits are read, ms. The circuit of a provider that keeps failing is open most of the time. */
const READ_INTERVAL_MS = 15_000;

/** The providers whose circuit is open: calls do not ask them now. */
export function OpenCircuits() {
  const { analytics, calls } = useText();
  const { data: open = [] } = useQuery({
    queryKey: ['providers', 'circuits'],
    queryFn: async () => (await bodyOf(listProviders())).data.filter(({ circuit_open }) => circuit_open),
    refetchInterval: READ_INTERVAL_MS,
  });
  return open.map(({ kind, provider }) => (
    <Badge key={`${kind} ${provider}`} tone="warn">
      {calls.circuitOpen(provider, analytics.kinds[kind])}
    </Badge>
  ));
}
