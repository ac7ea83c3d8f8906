import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { lookupAnswerReader } from '../../api/calls/lookup-answer.ts';
import { recordingLink } from '../../api/recordings/recording-link.ts';
import { storedKnowledge } from '../../background/knowledge/stored-knowledge.ts';
import { type Calls, composeCalls } from '../../calls/compose-calls.ts';
import type { CallHosts } from '../../calls/host-process/call-hosts.ts';
import type { CallServices } from '../../calls/host-process/service-access.ts';
import type { LoadSources } from '../../calls/overload/load-meter.ts';
import type { NodeDuties } from '../../cluster/node.ts';
import { callLogger } from '../../log/log.ts';
import type { CallTracing } from '../../observability/opentelemetry/call-tracing.ts';
import type { DestinationPolicy } from '../../telephony/destinations/destination-ruling.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import { agentRules } from './agent-rules.ts';
import type { Background } from './background.ts';
import { startCallHosts } from './call-hosts.ts';
import { startEndOfTurnModel } from './end-of-turn-model.ts';
import type { StoredFiles } from './object-storage.ts';
import type { OutgoingHttp } from './outgoing-http.ts';
import { reportsOfThisNode } from './own-reports.ts';
import { signingSecrets } from './signing-secrets.ts';
import type { Storage } from './storage.ts';
import type { Telephony } from './telephony.ts';

/** The parts that calls use. */
export interface CallDependencies {
  readonly storage: Storage;
  readonly storedFiles: StoredFiles;
  readonly registry: Registry;
  readonly outgoing: OutgoingHttp;
  readonly background: Background;
  readonly telephony: Telephony;
  readonly destinations: DestinationPolicy;
  /** Base of the links to recordings. */
  readonly publicUrl: () => string;
  /** Null: traces are off. */
  readonly tracing: CallTracing | null;
}

/** The calls of this node, with other nodes of the same database. Ends the calls that a dead process left. */
export async function startCalls(context: PartContext, dependencies: CallDependencies): Promise<Calls> {
  const { clock, configuration, lifecycle, log, logger, metrics } = context;
  const { background, destinations, outgoing, publicUrl, registry, storage, telephony, tracing } = dependencies;
  const { node, repositories, secrets } = storage;
  const endOfTurnModel = await startEndOfTurnModel(context);
  const knowledge: CallServices['knowledge'] = (organizationId) =>
    storedKnowledge({
      chunks: repositories.knowledgeChunks,
      vectorSearch: background.embeddings.vectorSearch,
      organizationId,
      onFault: (error) => log.warn({ err: error }, 'knowledge search failed'),
    });
  const hosts = await startCallHosts(context, { tools: outgoing.tools, knowledge });
  const calls = await lifecycle.start(
    'calls',
    () =>
      composeCalls({
        destinations,
        secrets,
        configuration,
        repositories,
        registry,
        media: telephony.media,
        signalling: telephony.signalling,
        endOfTurnModel,
        knowledge,
        hosts,
        load: loadSources(context, dependencies, hosts),
        isUnreachable: telephony.pings.isUnreachable,
        metrics,
        tools: outgoing.tools,
        http: outgoing.http,
        signingSecrets: signingSecrets(repositories, secrets),
        readLookupAnswer: lookupAnswerReader({ repositories, ...agentRules(configuration, registry) }),
        clock,
        log,
        callLog: (callId) => callLogger(logger, callId),
        recordingUrl: (call) =>
          recordingLink(call, publicUrl(), secrets, clock.wallMs() + configuration.http.recordingLinkMs),
        onLeg: (callId, leg, sipCallId) => telephony.sipTraces.assignLeg(callId, leg, sipCallId),
        listedBy: (address) => telephony.sources.organizationsListing(address),
        onRefused: telephony.reportRefusal,
        onStored: background.onStored,
        tracing,
        onEnded: endedCall(dependencies),
        node,
      }),
    // The call intake drains calls. This ends those that came before a start failed.
    async (started) => {
      await started.service.drain(0);
      started.overload.close();
    },
  );
  await node.join(nodeDuties(context, dependencies, calls));
  return calls;
}

function loadSources(
  { configuration }: PartContext,
  { storage, telephony }: CallDependencies,
  hosts: CallHosts | null,
): LoadSources {
  return {
    // With call hosts, this process has web calls only.
    media: () => (hosts === null ? telephony.media.load() : 0),
    databaseRequests: () => storage.node.database.requests(),
    latenessMsMax: configuration.rtp.admissionLatenessMs,
  };
}

/** The actions of this node for other nodes, and at the expiry of its lease. */
function nodeDuties({ clock }: PartContext, dependencies: CallDependencies, calls: Calls): NodeDuties {
  const {
    background,
    storage: { repositories },
    telephony,
  } = dependencies;
  const { pings, registrations, sources } = telephony;
  const syncRegistrations = async () => registrations.sync(await repositories.sipTrunks.registering());
  return {
    wake: background.wake,
    terminate: (callId) => calls.service.terminate(callId),
    isLive: (callId) => calls.service.isLive(callId),
    post: (callId, request) => calls.service.postLive(callId, request),
    endCalls: () => calls.endAll('node_lost'),
    endAdopted: () => calls.endAdopted(),
    closeOrphaned: (call) => calls.closeOrphaned(call),
    syncRegistrations,
    reloadTrunks: () => Promise.all([sources.refresh(), pings.refresh(), syncRegistrations()]),
    reports: () => reportsOfThisNode(dependencies, calls),
    expireStaged: async () => {
      for (const callId of await repositories.calls.expireStaged(clock.wallMs())) background.onStored(callId);
    },
  };
}

function endedCall({ background, storedFiles, tracing }: CallDependencies): (callId: string | null) => void {
  return (callId) => {
    if (callId !== null) {
      tracing?.callEnded(callId);
      storedFiles.callEnded(callId);
    }
    background.onEnded(callId);
  };
}
