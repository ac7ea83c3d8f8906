import { randomBytes, randomInt } from 'node:crypto';
import type { ProviderMetrics } from '../../adapters/decorators/metrics/provider-metrics.ts';
import type { Registry } from '../../adapters/registry/provider-registry.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { DialogRecovery } from '../../sip/dialog/dialog-recovery.ts';
import type { MediaService } from '../../sip/media/media-service.ts';
import { createLocalSrtp } from '../../sip/sdp/local-srtp.ts';
import type { Signalling } from '../../sip/signalling/signalling.ts';
import type { ThisNode } from '../cluster/node.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Log } from '../log/log.ts';
import type { CallTracing } from '../observability/opentelemetry/call-tracing.ts';
import type { LegName } from '../observability/traces/sip-traces.ts';
import { resolveSystemName } from '../outgoing-http/system-addresses.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import type { Repositories } from '../storage/repositories.ts';
import type { SipTrunkRecord } from '../storage/telephony/sip-trunk-repository.ts';
import { type AdvertisedAddress, advertisedAddress } from '../telephony/advertised-address.ts';
import type { DestinationPolicy } from '../telephony/destinations/destination-ruling.ts';
import { TransferPolicy } from '../telephony/destinations/transfer-policy.ts';
import { InboundCapacity } from '../telephony/inbound-policy/inbound-capacity.ts';
import { InboundPolicy } from '../telephony/inbound-policy/inbound-policy.ts';
import type { ReportRefusal } from '../telephony/refusals/report-refusal.ts';
import { type CallRate, createCallRate } from '../telephony/trunks/call-rate.ts';
import { TrunkCapacity } from '../telephony/trunks/trunk-capacity.ts';
import type { TrunkFailure } from '../telephony/trunks/trunk-failover.ts';
import { AgentCache } from './agents/agent-cache.ts';
import { createBridgeRouter } from './bridge/bridge-route.ts';
import { type BridgeCall, createBridging } from './bridge/bridged-transfer.ts';
import type { SecondLegOptions } from './bridge/second-leg.ts';
import type { CallHost } from './host/call-host.ts';
import { LocalCallHost, type LocalCallHostOptions } from './host/local-call-host.ts';
import type { CallHosts, HostView } from './host-process/call-hosts.ts';
import { PhoneAndWebCallHost } from './host-process/phone-and-web-call-host.ts';
import { DRAINING_RETRY_SECONDS } from './inbound/capacity-refusal.ts';
import { InboundCalls, type InboundCallsOptions } from './inbound/inbound-calls.ts';
import { CallerSessions } from './legs/caller-sessions.ts';
import { SdpNegotiation } from './legs/sdp-negotiation.ts';
import { UnansweredRtpBudget } from './legs/unanswered-rtp-budget.ts';
import type { LiveCall } from './live/live-call.ts';
import { LiveCalls, type LiveCallsOptions } from './live/live-calls.ts';
import { MediaReservations } from './live/media-reservations.ts';
import { LocalCallService } from './local-call-service.ts';
import { LookupWebhook, type LookupWebhookOptions } from './lookup/lookup-webhook.ts';
import { NumberCalls } from './lookup/number-calls.ts';
import { OutboundCalls } from './outbound/outbound-calls.ts';
import { LoadMeter, type LoadSources } from './overload/load-meter.ts';
import { type CountedCapacity, OverloadGuard } from './overload/overload-guard.ts';
import { callProviders, missingProvider, warmProviders } from './providers/call-providers.ts';
import { finishLeftRecordings, leftRecordings } from './recording/left-recordings.ts';
import { measureRecording, repairRecording } from './recording/unredacted-recording.ts';
import { closeOrphanedCall, type OrphanedCallOptions, recoverCalls } from './recovery/orphaned-calls.ts';
import { RedirectedCalls, type RedirectedCallsOptions } from './redirect/redirected-calls.ts';
import { StagedCalls } from './staging/staged-calls.ts';
import { type PriceTable, readPriceTable } from './usage/price-table.ts';
import { WebCalls } from './web/web-calls.ts';

/** Terms of a call without a trunk. */
const ANY_TERMS = { codecs: [], srtp: 'optional', inbandDtmf: false } as const;
/** Session ids of SDP are decimal and need only differ between calls at once (RFC 8866 §5.2). */
const SESSION_ID_MAX = 2 ** 47;

export interface CallsOptions {
  readonly configuration: Configuration;
  readonly repositories: Repositories;
  readonly registry: Registry;
  readonly media: MediaService;
  readonly signalling: Signalling;
  /** Whether a trunk failed its last ping. */
  readonly isUnreachable: (trunkId: string) => boolean;
  readonly metrics: ProviderMetrics;
  readonly tools: LocalCallHostOptions['tools'];
  /** Asks lookup webhooks. */
  readonly http: LookupWebhookOptions['http'];
  /** The secrets that sign the webhooks of an agent. */
  readonly signingSecrets: LookupWebhookOptions['signingSecrets'];
  readonly readLookupAnswer: LookupWebhookOptions['readAnswer'];
  /** The acoustic end-of-turn model of the operator; null: none. */
  readonly endOfTurnModel: LocalCallHostOptions['endOfTurnModel'];
  readonly knowledge: LocalCallHostOptions['knowledge'];
  /** The processes that run phone calls; null: this one. */
  readonly hosts: CallHosts | null;
  readonly load: LoadSources;
  readonly destinations: DestinationPolicy;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The log of one call. */
  readonly callLog: (callId: string) => Log;
  readonly node: Pick<ThisNode, 'id' | 'endElsewhere' | 'postElsewhere' | 'holdsLease' | 'trunkUsage'>;
  /** URL of the recording of a call. */
  readonly recordingUrl: LiveCallsOptions['recordingUrl'];
  /** The dialog with this Call-ID is a leg of the call. */
  readonly onLeg: (callId: string, leg: LegName, sipCallId: string) => void;
  /** The organizations with a trunk that lists the address. */
  readonly listedBy: (address: string) => readonly string[];
  /** An INVITE was refused. */
  readonly onRefused: ReportRefusal;
  /** Events of a call may be due for delivery. Null: of several calls. */
  readonly onStored: (callId: string | null) => void;
  /** The traces of calls; null: off. */
  readonly tracing: Pick<CallTracing, 'contextOf' | 'lookup'> | null;
  /** A call is over: its post-call work may be due. Null: several may be. */
  readonly onEnded: (callId: string | null) => void;
}

export interface Calls {
  readonly service: LocalCallService;
  /** The live call with this id on this node. */
  readonly live: (callId: string) => LiveCall | null;
  /** Takes the connections of web calls. */
  readonly web: Pick<WebCalls, 'upgrade'>;
  readonly liveCalls: () => number;
  readonly overload: Pick<OverloadGuard, 'close' | 'view'>;
  /** Refuses calls by the load from now on: the load of the start is no overload. */
  readonly watchLoad: () => void;
  /** See `LiveCalls`. */
  readonly endAll: LiveCalls['endAll'];
  readonly endAdopted: LiveCalls['endAdopted'];
  readonly activities: LiveCalls['activities'];
  /** The call hosts in separate processes. */
  readonly hosts: () => readonly HostView[];
  /** The number of calls of a dead process that were ended. */
  readonly recovered: Promise<number>;
  /** Ends an orphaned call of a dead node; true if no other node did. */
  closeOrphaned(call: CallRecord): Promise<boolean>;
  /** Finishes the recordings that a dead process left. Call it once recording URLs are known. Never rejects. */
  readonly finishRecordings: () => Promise<void>;
}

/** Shared by several parts of the composition. */
interface Shared extends Omit<CallsOptions, 'media'> {
  /** Capacity of the processes in which phone calls run. */
  readonly media: CountedCapacity;
  readonly cache: AgentCache;
  readonly prices: PriceTable;
  readonly capacity: TrunkCapacity;
  readonly callRate: CallRate;
  readonly advertised: AdvertisedAddress;
  readonly onFault: (callId: string, error: unknown) => void;
  readonly onLost: (recovery: DialogRecovery) => void;
  readonly onTrunkFailed: (callId: string, failure: TrunkFailure) => void;
}

/** Connects the parts that run calls, ends the calls that a dead process left, and starts to take INVITEs. */
export async function composeCalls(options: CallsOptions): Promise<Calls> {
  const { hosts, log, onEnded, onStored, repositories, signalling } = options;
  const { calls } = repositories;
  const overload = new OverloadGuard(
    () => liveCalls.launched + inbound.inProgress + outbound.inProgress + web.inProgress,
  );
  const shared = share(options, overload);
  const local = createHost(options);
  const host = hosts === null ? local : new PhoneAndWebCallHost({ phone: hosts, web: local });
  const reservations = new MediaReservations({ host, webMedia: local, dataDir: options.configuration.dataDir });
  const liveCalls = createLiveCalls(shared, host, reservations);
  const staging = createStaging(shared, host);
  const secondLeg = secondLegOptions(shared, reservations);
  const bridge = createBridging(secondLeg);
  const draining = (): boolean => service.refusesCalls;
  const outbound = createOutbound(shared, liveCalls, bridge);
  const web = new WebCalls({
    ...shared,
    media: overload.guard(options.media),
    calls,
    staging,
    liveCalls,
    origins: options.configuration.http.webCallOrigins,
    draining,
    onRefused: (source, reason) => log.info({ source, reason }, 'web call connection refused'),
  });
  const sessions = createCallerSessions(shared);
  const redirected = createRedirected(shared, { liveCalls, reservations, secondLeg, sessions });
  const inbound = createInbound(shared, { staging, liveCalls, bridge, redirected, sessions, draining });
  const service = new LocalCallService({
    ...shared,
    calls,
    staging,
    outbound,
    web,
    liveCalls,
    settled: async () => {
      await Promise.all([inbound.settled(), outbound.settled(), web.settled()]);
    },
  });
  const recovery = recoveryOptions(shared, staging);
  // Read before the first call of this process can add its own.
  const left = await leftRecordings(recovery);
  const { ended } = await recoverCalls(recovery);
  void ended.then(() => {
    onStored(null);
    onEnded(null);
  });
  signalling.onOptions(() => (service.isDraining ? DRAINING_RETRY_SECONDS : null));
  signalling.onInvite((invite) => inbound.handle(invite));
  return {
    service,
    live: (callId) => liveCalls.byId.get(callId) ?? null,
    web,
    liveCalls: () => liveCalls.byId.size,
    overload,
    watchLoad: () => overload.start(new LoadMeter(options.load)),
    endAll: (reason) => liveCalls.endAll(reason),
    endAdopted: () => liveCalls.endAdopted(),
    activities: (organizationId) => liveCalls.activities(organizationId),
    hosts: () => hosts?.views() ?? [],
    recovered: ended,
    finishRecordings: async () => {
      await ended;
      await finishLeftRecordings(left, recovery);
      onStored(null);
    },
    closeOrphaned: (call) => closeOrphanedCall(call, recovery),
  };
}

function share(options: CallsOptions, overload: OverloadGuard): Shared {
  const { callLog, clock, configuration, hosts, log, media, node, repositories, signalling } = options;
  const callRate = createCallRate(node.id === null ? null : repositories.sharedLimits, clock, log);
  return {
    ...options,
    media: overload.guard(hosts ?? media),
    cache: new AgentCache(repositories.agents),
    prices: readPriceTable(configuration.pricesFile),
    capacity: new TrunkCapacity(callRate, node.trunkUsage),
    callRate,
    advertised: advertisedAddress(configuration, resolveSystemName),
    onFault: (callId, error) => callLog(callId).error({ err: error }, 'call error'),
    onLost: (recovery) => void signalling.endOrphan(recovery),
    onTrunkFailed: (callId, { nextTrunkId, reason, trunkId }) =>
      callLog(callId).warn({ trunk_id: trunkId, next_trunk_id: nextTrunkId, reason }, 'trunk attempt failed'),
  };
}

function createHost(options: CallsOptions): LocalCallHost {
  const { configuration, endOfTurnModel, knowledge, media, metrics, registry, tools } = options;
  return new LocalCallHost({
    media,
    dataDir: configuration.dataDir,
    diskLowWaterBytes: configuration.diskLowWaterBytes,
    metrics,
    providers: (agent) => callProviders(registry, agent),
    warm: (agent) => warmProviders(registry, agent),
    tools,
    endOfTurnModel,
    knowledge,
  });
}

function createLiveCalls(shared: Shared, host: CallHost, reservations: MediaReservations): LiveCalls {
  const { calls, journal } = shared.repositories;
  return new LiveCalls({
    ...shared,
    calls,
    journal,
    host,
    reservations,
    log: shared.callLog,
    traceOf: (call) => shared.tracing?.contextOf(call) ?? null,
    transferPolicy: new TransferPolicy({
      policy: shared.destinations,
      trunks: shared.repositories.sipTrunks,
      numbers: shared.repositories.phoneNumbers,
    }),
  });
}

function createStaging({ cache, clock, node, onFault, onStored, registry, repositories }: Shared, host: CallHost) {
  return new StagedCalls({
    calls: repositories.calls,
    nodeId: node.id,
    clock,
    prepare: async (call) => {
      const agent = await cache.loadOf(call);
      const missing = missingProvider(registry, agent.configuration);
      if (missing !== null) throw new Error(missing);
      await host.prepare({ callId: call.id, kind: call.type === 'web_call' ? 'web' : 'rtp' }, agent);
    },
    onStored,
    onFault,
  });
}

/** Makes the SDP side of a leg on our RTP port, on the terms of its trunk. */
function negotiationOf({ advertised }: Shared) {
  return (
    port: number,
    peer: string | null,
    { codecs, srtp, inbandDtmf }: Pick<SipTrunkRecord, 'codecs' | 'srtp' | 'inbandDtmf'>,
  ) => {
    const keys = srtp !== 'off' && { srtp: createLocalSrtp(srtp, randomBytes) };
    const sessionId = String(randomInt(SESSION_ID_MAX));
    const local = { addresses: advertised.toward(peer), port, sessionId };
    return new SdpNegotiation({ ...local, ...(codecs.length > 0 && { codecs }), ...keys }, inbandDtmf);
  };
}

/** Without a trunk, a caller who offers SRTP gets SRTP, and a caller who offers RTP gets RTP. */
function createCallerSessions(shared: Shared): CallerSessions {
  const negotiation = negotiationOf(shared);
  return new CallerSessions({
    negotiation: (port, peer, trunk) => negotiation(port, peer, trunk ?? ANY_TERMS),
    unansweredRtp: new UnansweredRtpBudget(shared.clock),
  });
}

function secondLegOptions(shared: Shared, reservations: MediaReservations): SecondLegOptions {
  const { advertised, configuration, repositories } = shared;
  return {
    ...shared,
    reservations,
    negotiation: negotiationOf(shared),
    peerOf: advertised.peerOf,
    findRoutes: createBridgeRouter({
      ...shared,
      numbers: repositories.phoneNumbers,
      trunks: repositories.sipTrunks,
      allow: configuration.sip.allowAddresses,
      resolve: resolveSystemName,
    }),
  };
}

function createOutbound(shared: Shared, liveCalls: LiveCalls, bridge: BridgeCall): OutboundCalls {
  const { advertised, configuration, repositories } = shared;
  return new OutboundCalls({
    ...shared,
    calls: repositories.calls,
    trunks: repositories.sipTrunks,
    organizationLimits: configuration.sip.organizationLimits,
    liveCalls,
    negotiation: negotiationOf(shared),
    peerOf: advertised.peerOf,
    bridge,
    ringTimeoutMs: configuration.sip.ringTimeoutMs,
  });
}

type RedirectParts = Pick<RedirectedCallsOptions, 'liveCalls' | 'reservations' | 'secondLeg' | 'sessions'>;

function createRedirected(shared: Shared, parts: RedirectParts): RedirectedCalls {
  const { callLog, configuration, repositories } = shared;
  return new RedirectedCalls({
    ...shared,
    calls: repositories.calls,
    journal: repositories.journal,
    agents: repositories.agents,
    numbers: repositories.phoneNumbers,
    ...parts,
    ringTimeoutMs: configuration.sip.ringTimeoutMs,
    log: callLog,
  });
}

type InboundParts = Pick<
  InboundCallsOptions,
  'staging' | 'liveCalls' | 'bridge' | 'redirected' | 'sessions' | 'draining'
>;

function createInbound(shared: Shared, parts: InboundParts): InboundCalls {
  const { cache, callLog, clock, configuration, log, readLookupAnswer, repositories, secrets } = shared;
  const { agents, calls, phoneNumbers, sipTrunks } = repositories;
  const lookup = new LookupWebhook({ ...shared, readAnswer: readLookupAnswer });
  return new InboundCalls({
    ...shared,
    ...parts,
    calls,
    numberCalls: new NumberCalls({ agents, cache, lookup, log: callLog }),
    numbers: phoneNumbers,
    trunks: sipTrunks,
    policy: new InboundPolicy({
      trunks: sipTrunks,
      secrets,
      operatorHosts: configuration.sip.allowAddresses,
      broadRanges: configuration.sip.broadRanges,
      listedBy: shared.listedBy,
      nowMs: clock.wallMs,
      nowUs: () => clock.nowUs(),
    }),
    capacity: new InboundCapacity(configuration.sip.inboundLimits, clock),
    onFault: (error) => log.error({ err: error }, 'INVITE handler failed'),
    comparesStagedNumber: configuration.sip.comparesStagedNumber,
  });
}

function recoveryOptions(shared: Shared, staging: StagedCalls): OrphanedCallOptions {
  const { calls, journal } = shared.repositories;
  return {
    ...shared,
    calls,
    journal,
    staging,
    dataDir: shared.configuration.dataDir,
    endOrphan: (dialog) => shared.signalling.endOrphan(dialog),
    repairRecording,
    measureRecording,
    onClosed: shared.onEnded,
  };
}
