import { z } from 'zod';
import { traceBytes } from '../../api/calls/call-trace.ts';
import type { ApiDependencies } from '../../api/context/route-context.ts';
import { activitiesAnswer, activitiesOfNodes } from '../../calls/api-requests/shared-activities.ts';
import type { Calls } from '../../calls/compose-calls.ts';
import type { ThisNode, TraceKind } from '../../cluster/node.ts';
import { readCircuits } from '../../observability/metrics/gauge-readings.ts';
import type { CircuitReading } from '../../observability/metrics/gauges.ts';
import type { CallTraces } from '../../observability/traces/call-traces.ts';
import { refusalsOfNodes } from '../../telephony/refusals/shared-refusals.ts';
import { historiesOfNodes } from '../../telephony/trunks/shared-history.ts';
import { trunkStates } from '../../telephony/trunks/trunk-state.ts';
import type { CallDependencies } from './calls.ts';

type Dependencies = Pick<CallDependencies, 'registry' | 'storage' | 'telephony'>;

const TRACES = ['ladder', 'capture', 'pcap', 'forget'] as const satisfies readonly TraceKind[];

const openCircuit = z.object({
  provider: z.string(),
  part: z.enum(['transcriber', 'language_model', 'voice', 'embedder']),
}) satisfies z.ZodType<Omit<CircuitReading, 'isOpen'>>;

/** What the API shows of all nodes: what this one has in memory, and what the others answer or have reported. */
export function viewsOfNodes(
  { registry, storage, telephony }: Dependencies,
  calls: Calls,
): Pick<ApiDependencies, 'activities' | 'circuits' | 'reachabilityHistory' | 'refusals' | 'trunkStates'> {
  const { node } = storage;
  const { pings, refusals, registrations } = telephony;
  const sources = {
    nodeId: node.id,
    registrations,
    pings,
    reportsOfOthers: node.reportsOfOthers.bind(node),
  };
  return {
    activities: async (organizationId) => {
      const [own, others] = await Promise.all([
        calls.activities(organizationId),
        node.askOthers({ subject: 'activities', id: organizationId }),
      ]);
      return activitiesOfNodes(own, others);
    },
    circuits: async () => {
      const reports = await node.reportsOfOthers('circuit');
      const others = reports.flatMap(({ body }) => openCircuit.safeParse(body).data ?? []);
      return [
        ...readCircuits(registry, calls.hosts()),
        ...others.map((circuit): CircuitReading => ({ ...circuit, isOpen: true })),
      ];
    },
    reachabilityHistory: async (organizationId) => {
      const [own, others] = await Promise.all([
        ownHistory({ storage, telephony }, organizationId),
        node.askOthers({ subject: 'reachability', id: organizationId }),
      ]);
      return historiesOfNodes(own, others);
    },
    refusals: async (organizationId) =>
      refusalsOfNodes(refusals.of(organizationId), await node.askOthers({ subject: 'refusals', id: organizationId })),
    trunkStates: (trunkIds) => trunkStates(sources, trunkIds),
  };
}

async function ownHistory(
  { storage, telephony }: Pick<CallDependencies, 'storage' | 'telephony'>,
  organizationId: string,
) {
  const trunks = await storage.repositories.sipTrunks.all(organizationId);
  return trunks.map(({ id }) => [id, telephony.pings.history(id)] as const);
}

/** Answers other nodes from the memory of this one. */
export function answerOtherNodes(dependencies: Dependencies, calls: Calls, traces: CallTraces): void {
  const { storage, telephony } = dependencies;
  const { node, repositories } = storage;
  for (const trace of TRACES) {
    node.answer(trace, async (callId) => {
      const call = await repositories.calls.find(callId);
      return call === null ? null : traceBytes(traces, call, trace);
    });
  }
  answerAs(node, 'activities', async (id) => activitiesAnswer(await calls.activities(id)));
  answerAs(node, 'refusals', async (id) => telephony.refusals.of(id));
  answerAs(node, 'reachability', (id) => ownHistory(dependencies, id));
}

function answerAs(
  node: ThisNode,
  subject: 'activities' | 'refusals' | 'reachability',
  answer: (organizationId: string) => Promise<unknown>,
): void {
  node.answer(subject, async (id) => Buffer.from(JSON.stringify(await answer(id))));
}
