import { randomBytes, randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { ProviderMetrics } from '../../adapters/decorators/metrics/provider-metrics.ts';
import type { Registry } from '../../adapters/registry/registry.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { DialogRecovery } from '../../sip/dialog/dialog-recovery.ts';
import type { MediaPlane } from '../../sip/media/media-plane.ts';
import { repairWav } from '../../sip/recorder/repair-wav.ts';
import { createLocalSrtp } from '../../sip/sdp/local-srtp.ts';
import type { Signalling } from '../../sip/signalling/signalling.ts';
import { storedKnowledge } from '../background/knowledge/stored-knowledge.ts';
import type { VectorSearch } from '../background/knowledge/vector-search.ts';
import type { ThisNode } from '../cluster/node.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { callLogger } from '../observability/log/log.ts';
import type { LegName } from '../observability/traces/sip-traces.ts';
import { resolveSystemName } from '../outgoing-http/system-addresses.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import type { Repositories } from '../storage/repositories.ts';
import type { SipTrunkRecord } from '../storage/telephony/sip-trunk-repository.ts';
import { advertisedAddress } from '../telephony/advertised-address.ts';
import type { DestinationPolicy } from '../telephony/destinations/destination-policy.ts';
import { InboundPolicy } from '../telephony/inbound-policy/inbound-policy.ts';
import { TrunkCapacity } from '../telephony/trunks/trunk-capacity.ts';
import { AgentCache } from './agents/agent-cache.ts';
import { createBridging } from './bridge/bridge.ts';
import { createBridgeRouter } from './bridge/bridge-route.ts';
import type { SecondLegOptions } from './bridge/second-leg.ts';
import { CallRuntime } from './call-runtime.ts';
import { CallLauncher, type CallLauncherOptions } from './host/call-launcher.ts';
import type { CallLog } from './host/call-log.ts';
import type { LiveCall } from './host/live-call.ts';
import { InboundCalls } from './inbound/inbound-calls.ts';
import { SdpNegotiation } from './legs/sdp-negotiation.ts';
import { OutboundCalls } from './outbound/outbound-calls.ts';
import { callProviders, missingProvider, warmProviders } from './providers/call-providers.ts';
import { recoverRecordings } from './recording/recording-recovery.ts';
import { closeOrphanedCall, recoverCalls } from './recovery/call-recovery.ts';
import { RedirectedCalls } from './redirect/redirected-calls.ts';
import { Staging } from './staging/staging.ts';
import { readPriceTable } from './usage/price-table.ts';
import { WebCalls } from './web/web-calls.ts';

/** Of a call that came by no trunk. */
const ANY_TERMS = { codecs: [], srtp: 'optional', inbandDtmf: false } as const;
/** Session ids of SDP are decimal and need only differ between calls at once (RFC 8866 §5.2). */
const SESSION_ID_MAX = 2 ** 47;

export interface CallsOptions {
  readonly configuration: Configuration;
  readonly repositories: Repositories;
  readonly registry: Registry;
  readonly media: MediaPlane;
  readonly signalling: Signalling;
  /** Whether a trunk is known not to be there. */
  readonly isUnreachable: (trunkId: string) => boolean;
  readonly metrics: ProviderMetrics;
  readonly tools: CallLauncherOptions['tools'];
  /** Searches knowledge by what a question means; null: by its words alone. */
  readonly meaning: Pick<VectorSearch, 'best'> | null;
  readonly destinations: DestinationPolicy;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly node: Pick<ThisNode, 'id' | 'endElsewhere' | 'postElsewhere'>;
  /** Where the recording of a call is had. */
  readonly recordingUrl: CallLauncherOptions['recordingUrl'];
  /** The dialog of that Call-ID is a leg of the call. */
  readonly onLeg: (callId: string, leg: LegName, sipCallId: string) => void;
  /** Events may be due for delivery. */
  readonly onStored: () => void;
  /** A call is over: its post-call work may be due. */
  readonly onEnded: () => void;
}

export interface Calls {
  readonly runtime: CallRuntime;
  /** The call of that id where it lives on this node. */
  readonly live: (callId: string) => LiveCall | null;
  /** Takes the connections of web calls. */
  readonly web: Pick<WebCalls, 'upgrade'>;
  readonly liveCalls: () => number;
  /** How many calls of a dead process were ended. */
  readonly recovered: Promise<number>;
  /** Ends a call of a node that is gone; true where nobody else has. */
  closeOrphaned(call: CallRecord): Promise<boolean>;
  /** Finishes the recordings that a dead process left; to be called once `recordingUrl` can say where they are had. Never rejects. */
  readonly finishRecordings: () => Promise<void>;
}

/** Puts the parts of the call runtime together, ends what a dead process left, and begins to take INVITEs. */
export async function composeCalls(options: CallsOptions): Promise<Calls> {
  const {
    clock,
    configuration,
    destinations,
    log,
    media,
    onEnded,
    onLeg,
    onStored,
    registry,
    repositories,
    signalling,
  } = options;
  const { calls, journal } = repositories;
  const cache = new AgentCache(repositories.agents);
  const faultOf = (callId: string, error: unknown) => callLog(log, callId).error('a call met a fault', error);
  const logOf = (callId: string) => callLog(log, callId);
  const onLost = (recovery: DialogRecovery) => void signalling.endOrphan(recovery);
  const prices = readPriceTable(configuration.pricesFile);

  const launcher = new CallLauncher({
    calls,
    journal,
    media,
    dataDir: configuration.dataDir,
    diskLowWaterBytes: configuration.diskLowWaterBytes,
    destinations,
    metrics: options.metrics,
    prices,
    providers: (agent) => callProviders(registry, agent),
    tools: options.tools,
    knowledge: (organizationId) =>
      storedKnowledge({
        chunks: repositories.knowledgeChunks,
        meaning: options.meaning,
        organizationId,
        onFault: (error) => log.warn({ err: error }, 'a search of knowledge failed'),
      }),
    log: logOf,
    recordingUrl: options.recordingUrl,
    onStored,
    onEnded,
    onLost,
  });
  const staging = new Staging({
    calls,
    nodeId: options.node.id,
    clock,
    prepare: async (call) => {
      const agent = await cache.loadOf(call);
      const missing = missingProvider(registry, agent.configuration);
      if (missing !== null) throw new Error(missing);
      warmProviders(registry, agent.configuration);
    },
    onStored,
    onFault: faultOf,
  });
  const advertised = advertisedAddress(configuration, resolveSystemName);
  const localMedia = (port: number, peer: string | null) => ({
    address: advertised.toward(peer),
    port,
    sessionId: String(randomInt(SESSION_ID_MAX)),
  });
  const onTerms = (
    port: number,
    peer: string | null,
    { codecs, srtp, inbandDtmf }: Pick<SipTrunkRecord, 'codecs' | 'srtp' | 'inbandDtmf'>,
  ) => {
    const keys = srtp !== 'off' && { srtp: createLocalSrtp(srtp, randomBytes) };
    return new SdpNegotiation({ ...localMedia(port, peer), ...(codecs.length > 0 && { codecs }), ...keys }, inbandDtmf);
  };
  const capacity = new TrunkCapacity(() => clock.nowUs());
  const onTrunkFailed = (callId: string, trunk: string, reason: string) =>
    callLog(log, callId).warn(`trunk ${trunk} did not take it: ${reason}`);
  const secondLeg: SecondLegOptions = {
    media,
    signalling,
    negotiation: onTerms,
    peerOf: advertised.peerOf,
    findRoutes: createBridgeRouter({
      numbers: repositories.phoneNumbers,
      trunks: repositories.sipTrunks,
      secrets: options.secrets,
      capacity,
      isUnreachable: options.isUnreachable,
      allow: configuration.sip.allowAddresses,
      resolve: resolveSystemName,
    }),
    onLeg,
    onLost,
    onFault: faultOf,
    onRouteFailed: onTrunkFailed,
  };
  const bridge = createBridging(secondLeg);
  const outbound = new OutboundCalls({
    calls,
    trunks: repositories.sipTrunks,
    secrets: options.secrets,
    capacity,
    isUnreachable: options.isUnreachable,
    organizations: new TrunkCapacity(() => clock.nowUs()),
    organizationLimits: configuration.sip.organizationLimits,
    cache,
    launcher,
    media,
    signalling,
    negotiation: onTerms,
    peerOf: advertised.peerOf,
    bridge,
    clock,
    ringTimeoutMs: configuration.sip.ringTimeoutMs,
    destinations,
    onLeg,
    onFault: faultOf,
    onTrunkFailed,
  });
  const web = new WebCalls({
    calls,
    staging,
    cache,
    launcher,
    media,
    clock,
    origins: configuration.http.webCallOrigins,
    draining: () => runtime.draining,
    onFault: faultOf,
    onRefused: (source, reason) => log.info({ source, reason }, 'the connection of a web call was refused'),
  });
  const runtime = new CallRuntime({
    calls,
    staging,
    outbound,
    web,
    launcher,
    media,
    clock,
    settled: async () => {
      await Promise.all([inbound.settled(), outbound.settled(), web.settled()]);
    },
    node: options.node,
    onStored,
  });
  // Where no trunk says otherwise, who calls with keys is answered with keys, and who calls without is not refused.
  const onCallersTerms = (port: number, peer: string, trunk: SipTrunkRecord | null) =>
    onTerms(port, peer, trunk ?? ANY_TERMS);
  const redirected = new RedirectedCalls({
    calls,
    journal,
    numbers: repositories.phoneNumbers,
    launcher,
    media,
    negotiation: onCallersTerms,
    secondLeg,
    ringTimeoutMs: configuration.sip.ringTimeoutMs,
    clock,
    prices,
    log: logOf,
    onLeg,
    onStored,
    onLost,
  });
  const inbound = new InboundCalls({
    calls,
    agents: repositories.agents,
    numbers: repositories.phoneNumbers,
    trunks: repositories.sipTrunks,
    policy: new InboundPolicy({ trunks: repositories.sipTrunks, secrets: options.secrets, nowMs: clock.wallMs }),
    staging,
    cache,
    launcher,
    media,
    negotiation: onCallersTerms,
    bridge,
    redirected,
    destinations,
    onLeg,
    clock,
    draining: () => runtime.draining,
    onFault: (error) => log.error({ err: error }, 'an INVITE met a fault'),
    onRefused: (source, reason) => log.info({ source, reason }, 'an INVITE was refused'),
  });
  // Read before the first call of this process can add its own.
  const unfinished = await calls.callsWithUnfinishedRecording();
  const recovery = {
    calls,
    journal,
    staging,
    clock,
    dataDir: configuration.dataDir,
    endOrphan: (dialog: DialogRecovery) => signalling.endOrphan(dialog),
    repairRecording: repairWav,
    onFault: faultOf,
  };
  const { ended } = await recoverCalls(recovery);
  void ended.then(() => {
    onStored();
    onEnded();
  });
  signalling.onInvite((invite) => inbound.handle(invite));
  const recordings = { ...recovery, recordingUrl: options.recordingUrl };
  return {
    runtime,
    live: (callId) => launcher.live.get(callId) ?? null,
    web,
    liveCalls: () => launcher.live.size,
    recovered: ended,
    finishRecordings: async () => {
      await ended;
      await recoverRecordings(unfinished, recordings);
      onStored();
    },
    closeOrphaned: (call) => closeOrphanedCall(call, recordings),
  };
}

function callLog(log: Logger, callId: string): CallLog {
  const logger = callLogger(log, callId);
  return {
    debug: (message) => logger.debug(message),
    info: (message) => logger.info(message),
    warn: (message, error) => logger.warn({ err: error }, message),
    error: (message, error) => logger.error({ err: error }, message),
  };
}
