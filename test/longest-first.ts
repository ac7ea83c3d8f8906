import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest files, slowest first. A slow file that starts last would run alone at the end. The first files mostly
 * wait, so the other files have the processors.
 */
const LONGEST = [
  'src/api/clients/schemathesis.test.ts',
  'sip/contract/sipp.test.ts',
  'security/idle-connections.test.ts',
  'service/recovery/crash-points.test.ts',
  'service/recovery/crash.test.ts',
  'security/knowledge-queue.test.ts',
  'security/rtp-to-third-party.test.ts',
  'service/recovery/crash-points-postgres.test.ts',
  'service/recovery/two-nodes.test.ts',
  'src/storage/events/event-sequence.test.ts',
  'sip/contract/session-timers.test.ts',
  'service/tape/tapes.test.ts',
  'service/conversation/transfer.test.ts',
  'service/providers/failover.test.ts',
  'security/toll-fraud.test.ts',
  'service/start/start.test.ts',
  'sip/contract/lost-messages.test.ts',
  'service/start/start-failure.test.ts',
  'service/providers/every-provider.test.ts',
  'sip/media/detection/echo/echo-detector.test.ts',
  'src/background/knowledge/source-reader.test.ts',
  'service/call-setup/inbound.test.ts',
  'sip/media/wideband.test.ts',
  'service/background/post-call.test.ts',
  'engine/properties/soak.test.ts',
  'engine/history-summary/long-history.call.test.ts',
  'src/api/document/walk.test.ts',
  'adapters/openai-compatible/providers.test.ts',
  'engine/transcript/played-text.call.test.ts',
  'engine/turn-detection/provider-turns.call.test.ts',
  'structure/structure.test.ts',
];

/** Without times of an earlier run, as in CI, vitest starts with the largest files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}`));
      return place === -1 ? LONGEST.length : place;
    };
    return others.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
