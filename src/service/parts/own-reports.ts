import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import type { Calls } from '../../calls/compose-calls.ts';
import type { OwnReport } from '../../cluster/node-reports.ts';
import { readCircuits } from '../../observability/metrics/gauge-readings.ts';
import type { CircuitReading } from '../../observability/metrics/gauges.ts';
import type { Telephony } from './telephony.ts';

/** What this node sees, for other nodes. */
export function reportsOfThisNode(
  { registry, telephony }: { readonly registry: Registry; readonly telephony: Telephony },
  calls: Pick<Calls, 'hosts'>,
): readonly OwnReport[] {
  const { pings, registrations } = telephony;
  return [
    ...[...registrations.states()].map(([key, body]): OwnReport => ({ subject: 'registration', key, body })),
    ...[...pings.states()].map(([key, body]): OwnReport => ({ subject: 'reachability', key, body })),
    ...openCircuits(registry, calls).map(({ part, provider }): OwnReport => {
      return { subject: 'circuit', key: `${part} ${provider}`, body: { part, provider } };
    }),
  ];
}

function openCircuits(registry: Registry, calls: Pick<Calls, 'hosts'>): readonly CircuitReading[] {
  return readCircuits(registry, calls.hosts()).filter(({ isOpen }) => isOpen);
}
