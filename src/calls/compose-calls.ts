import { randomBytes, randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { Registry } from '../../adapters/registry.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { MediaPlane } from '../../sip/media-worker/media-plane.ts';
import { repairWav } from '../../sip/recorder/repair-wav.ts';
import { createLocalSrtp } from '../../sip/signalling/sdp/local-srtp.ts';
import type { Signalling } from '../../sip/signalling/signalling.ts';
import type { Configuration } from '../configuration.ts';
import type { DestinationPolicy } from '../dialling/destination-policy.ts';
import { resolveSystemName } from '../http-guard/system-names.ts';
import { storedKnowledge } from '../knowledge/stored-knowledge.ts';
import { callLogger } from '../log.ts';
import type { Secrets } from '../secrets.ts';
import type { Repositories } from '../storage/repositories.ts';
import type { SipTrunkRecord } from '../storage/sip-trunk-repository.ts';
import { TrunkCapacity } from '../trunks/trunk-capacity.ts';
import { advertisedAddress } from './advertised-address.ts';
import { AgentCache } from './agent-cache.ts';
import { createBridging } from './bridge.ts';
import { createBridgeRouter } from './bridge-route.ts';
import { CallLauncher, type CallLauncherOptions, type CallProviders } from './call-launcher.ts';
import type { CallLog } from './call-log.ts';
import { callProviders, missingProvider, warmProviders } from './call-providers.ts';
import { CallRuntime } from './call-runtime.ts';
import { CallerGate } from './caller-gate.ts';
import { InboundCalls } from './inbound-calls.ts';
import { Negotiation } from './negotiation.ts';
import { OutboundCalls } from './outbound-calls.ts';
import { recoverCalls } from './recovery.ts';
import { Staging } from './staging.ts';

/** Session ids of SDP are decimal and need only differ between calls at once (RFC 8866 §5.2). */
const SESSION_ID_MAX = 2 ** 47;

export interface CallsOptions {
  readonly configuration: Configuration;
  readonly repositories: Repositories;
  readonly registry: Registry;
  readonly media: MediaPlane;
  readonly signalling: Signalling;
  /** Put before the adapters of each call. */
  readonly meter: (providers: CallProviders) => CallProviders;
  readonly tools: CallLauncherOptions['tools'];
  readonly destinations: DestinationPolicy;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Events may be due for delivery. */
  readonly onStored: () => void;
  /** A call is over: its post-call work may be due. */
  readonly onEnded: () => void;
}

export interface Calls {
  readonly runtime: CallRuntime;
  readonly liveCalls: () => number;
  /** How many calls of a dead process were ended. */
  readonly recovered: Promise<number>;
}

/** Puts the parts of the call runtime together, ends what a dead process left, and begins to take INVITEs. */
export async function composeCalls(options: CallsOptions): Promise<Calls> {
  const { clock, configuration, destinations, log, media, onEnded, onStored, registry, repositories, signalling } =
    options;
  const { calls, journal } = repositories;
  const cache = new AgentCache(repositories.agents);
  const faultOf = (callId: string, error: unknown) => callLog(log, callId).error('a call met a fault', error);

  const launcher = new CallLauncher({
    calls,
    journal,
    media,
    dataDir: configuration.dataDir,
    diskLowWaterBytes: configuration.diskLowWaterBytes,
    destinations,
    providers: (agent) => options.meter(callProviders(registry, agent)),
    tools: options.tools,
    knowledge: (organizationId) =>
      storedKnowledge(repositories.knowledgeChunks, organizationId, (error) =>
        log.warn({ err: error }, 'a search of knowledge failed'),
      ),
    log: (callId) => callLog(log, callId),
    onStored,
    onEnded,
    onLost: (recovery) => void signalling.endOrphan(recovery),
  });
  const staging = new Staging({
    calls,
    clock,
    prepare: async (call) => {
      const agent = await cache.load(call.agentId, call.agentVersion);
      const missing = missingProvider(registry, agent.configuration);
      if (missing !== null) throw new Error(missing);
      warmProviders(registry, agent.configuration);
    },
    onStored,
    onFault: faultOf,
  });
  const address = advertisedAddress(configuration);
  const localMedia = (port: number) => ({ address, port, sessionId: String(randomInt(SESSION_ID_MAX)) });
  const onTerms = (port: number, { codecs, srtp }: Pick<SipTrunkRecord, 'codecs' | 'srtp'>) =>
    new Negotiation({
      ...localMedia(port),
      ...(codecs.length > 0 && { codecs }),
      ...(srtp !== 'off' && { srtp: createLocalSrtp(srtp, randomBytes) }),
    });
  const capacity = new TrunkCapacity(() => clock.nowUs());
  const bridge = createBridging({
    media,
    signalling,
    negotiation: onTerms,
    route: createBridgeRouter({
      numbers: repositories.phoneNumbers,
      trunks: repositories.sipTrunks,
      secrets: options.secrets,
      capacity,
      allow: configuration.sip.allowAddresses,
      resolve: resolveSystemName,
    }),
    onLost: (recovery) => void signalling.endOrphan(recovery),
    onFault: faultOf,
  });
  const outbound = new OutboundCalls({
    calls,
    trunks: repositories.sipTrunks,
    secrets: options.secrets,
    capacity,
    cache,
    launcher,
    media,
    signalling,
    negotiation: onTerms,
    bridge,
    clock,
    ringTimeoutMs: configuration.sip.ringTimeoutMs,
    destinations,
    onFault: faultOf,
    onTrunkFailed: (callId, trunkId, reason) =>
      callLog(log, callId).warn(`trunk ${trunkId} did not take it: ${reason}`),
  });
  const runtime = new CallRuntime({
    calls,
    staging,
    outbound,
    launcher,
    media,
    clock,
    settled: async () => {
      await Promise.all([inbound.taken(), outbound.dialled()]);
    },
    onStored,
  });
  const inbound = new InboundCalls({
    calls,
    agents: repositories.agents,
    numbers: repositories.phoneNumbers,
    gate: new CallerGate({ trunks: repositories.sipTrunks, secrets: options.secrets, nowMs: clock.wallMs }),
    staging,
    cache,
    launcher,
    media,
    // Who calls with keys is answered with keys; who calls without is not refused.
    negotiation: (port) => new Negotiation({ ...localMedia(port), srtp: createLocalSrtp('optional', randomBytes) }),
    bridge,
    clock,
    draining: () => runtime.draining,
    onFault: (error) => log.error({ err: error }, 'an INVITE met a fault'),
    onRefused: (source, reason) => log.info({ source, reason }, 'an INVITE was refused'),
  });
  const { ended } = await recoverCalls({
    calls,
    journal,
    staging,
    clock,
    dataDir: configuration.dataDir,
    endOrphan: (recovery) => signalling.endOrphan(recovery),
    repairRecording: repairWav,
    onFault: faultOf,
  });
  void ended.then(() => {
    onStored();
    onEnded();
  });
  signalling.onInvite((invite) => inbound.take(invite));
  return { runtime, liveCalls: () => launcher.live.size, recovered: ended };
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
