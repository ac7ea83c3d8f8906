import { createMediaService, type WorkerMediaService } from '../../../sip/media/main-thread/create-media-service.ts';
import type { InviteRefusal } from '../../../sip/message/invite-refusal.ts';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { Signalling } from '../../../sip/signalling/signalling.ts';
import type { SipTraces } from '../../observability/traces/sip-traces.ts';
import { AllowedSourceList } from '../../telephony/inbound-policy/trunk-source-addresses.ts';
import { RefusedInvites } from '../../telephony/refusals/refused-invites.ts';
import { createRefusalReport, type ReportRefusal } from '../../telephony/refusals/report-refusal.ts';
import { SipSupervisor, type SipSupervisorOptions } from '../../telephony/sip-supervisor.ts';
import { trunkCredentials } from '../../telephony/trunks/trunk-credentials.ts';
import { TrunkPings } from '../../telephony/trunks/trunk-pings.ts';
import { TrunkRegistrations } from '../../telephony/trunks/trunk-registrations.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import type { Storage } from './storage.ts';

export interface Telephony {
  readonly media: WorkerMediaService;
  readonly supervisor: SipSupervisor;
  readonly sipTraces: SipTraces;
  readonly sources: AllowedSourceList;
  readonly refusals: RefusedInvites;
  readonly reportRefusal: ReportRefusal;
  readonly signalling: Signalling;
  readonly pings: TrunkPings;
  /** Made here, started with the call intake. */
  readonly registrations: TrunkRegistrations;
}

/** Media workers, the SIP server with its allowed sources, signalling and trunk pings. */
export async function startTelephony(
  context: PartContext,
  { node, repositories, secrets }: Storage,
  sipTraces: SipTraces,
  onTrace: SipSupervisorOptions['onTrace'],
): Promise<Telephony> {
  const { clock, lifecycle, log, metrics } = context;
  const media = await startMedia(context);
  const refusals = new RefusedInvites();
  const listedBy = (address: string) => sources.organizationsListing(address);
  const reportRefusal = createRefusalReport({ refused: refusals, metrics, listedBy, log, clock });
  const onInviteRefused = ({ cause, detail, status, ...invite }: InviteRefusal) =>
    reportRefusal(invite, { cause, detail, status, organizationId: null });
  const supervisor = await startSipServer(context, {
    onInviteRefused,
    onTrace: (entry) => {
      sipTraces.take(entry);
      onTrace?.(entry);
    },
  });
  const sources = await startAllowedSources(context, repositories.sipTrunks, supervisor);
  const signalling = await lifecycle.start(
    'signalling',
    () =>
      createSignalling({
        server: () => supervisor.server(),
        onFault: (error) => log.warn({ err: error }, 'signalling error'),
        onInviteRefused,
        credentialsOf: async (trunkId) => {
          const trunk = await repositories.sipTrunks.findAny(trunkId);
          return trunk && trunkCredentials(secrets, trunk);
        },
      }),
    (started) => started.close(),
  );
  // Workers load while the SIP server starts. A started service must accept a call at once.
  await media.ready();
  const pings = await lifecycle.start(
    'trunk pings',
    () =>
      new TrunkPings({
        trunks: repositories.sipTrunks,
        signalling,
        clock,
        log,
        onChange: () => node.reportSoon(),
      }),
    (started) => started.stop(),
  );
  await pings.refresh();
  const registrations = new TrunkRegistrations({
    signalling,
    secrets,
    contacts: repositories.trunkContacts,
    clock,
    leads: () => node.leads(),
    random: Math.random,
    onChange: (trunkId, { status, error }) => {
      log.info({ trunk_id: trunkId, status, error }, 'registration changed');
      node.reportSoon();
    },
    onContactRemoved: (trunkId, contact) =>
      log.info({ trunk_id: trunkId, contact }, 'contact of a dead process removed'),
    onFault: (trunkId, error) => log.error({ trunk_id: trunkId, err: error }, 'registration failed'),
  });
  return { media, supervisor, sipTraces, sources, refusals, reportRefusal, signalling, pings, registrations };
}

function startMedia({ configuration, lifecycle, log }: PartContext): Promise<WorkerMediaService> {
  const { callHosts, diskLowWaterBytes, rtp } = configuration;
  return lifecycle.start(
    'media',
    () =>
      createMediaService({
        bindAddress: rtp.bind,
        ports: rtp.ports,
        sockets: rtp.sockets,
        // Beside call hosts it runs web calls alone.
        ...(callHosts > 0 && { workers: 1 }),
        latenessMsMax: rtp.admissionLatenessMs,
        lowWaterBytes: diskLowWaterBytes,
        onSockets: ({ type, reason }) => log.info({ type, reason }, 'media sockets chosen'),
        onWorkerExit: (reason) => log.error({ reason }, 'media worker exited'),
        onRecordingIncomplete: (path, reason) => log.warn({ path, reason }, 'recording incomplete'),
      }),
    (media) => media.close(),
  );
}

function startSipServer(
  { configuration, lifecycle, listeners, log }: PartContext,
  listener: Pick<SipSupervisorOptions, 'onInviteRefused' | 'onTrace'>,
): Promise<SipSupervisor> {
  return lifecycle.start(
    'SIP server',
    () =>
      new SipSupervisor({
        sip: configuration.sip,
        listeners,
        onExit: (reason) => log.error({ reason }, 'SIP server exited'),
        ...listener,
      }),
    (supervisor) => supervisor.close(),
  );
}

async function startAllowedSources(
  { clock, configuration, lifecycle, log }: PartContext,
  trunks: Storage['repositories']['sipTrunks'],
  supervisor: SipSupervisor,
): Promise<AllowedSourceList> {
  const sources = await lifecycle.start(
    'allowed sources',
    () =>
      new AllowedSourceList({
        trunks,
        allow: configuration.sip.allowAddresses,
        broad: configuration.sip.broadRanges,
        clock,
        onList: (list) => {
          if (!list.open) {
            // A dropped request leaves no other trace than a counter.
            log.info({ answered: list.listed }, 'SIP sources restricted');
          }
          supervisor.allow(list).catch((error: unknown) => log.warn({ err: error }, 'SIP server unavailable'));
        },
        log,
      }),
    (started) => started.stop(),
  );
  await sources.refresh();
  return sources;
}
