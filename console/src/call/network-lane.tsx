import type { CallTimeline, TimelineNetwork } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';

/** Range of the mean opinion score (ITU-T G.107). */
const MOS_MIN = 1;
const MOS_MAX = 4.5;

interface NetworkLaneProps {
  readonly network: CallTimeline['network'];
  readonly lengthMs: number;
}

/** The quality of the user's audio over time: the higher, the better. */
export function NetworkLane({ network, lengthMs }: NetworkLaneProps) {
  const text = useText();
  const scores = network.flatMap(({ inbound }) => (inbound.mos === null ? [] : [inbound.mos]));
  if (scores.length === 0) return null;
  const worst = `MOS ≥ ${Math.min(...scores).toFixed(1)}, ≤ ${worstLoss(network)} %`;
  return (
    <div className="lane">
      <span className="lane-name">{text.call.network}</span>
      <svg
        className="network"
        viewBox={`0 0 ${lengthMs} ${MOS_MAX - MOS_MIN}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${text.call.networkIn}: ${worst}`}
      >
        <title>{`${text.call.networkIn}: ${worst}`}</title>
        <path d={pathOf(network)} vectorEffect="non-scaling-stroke" />
      </svg>
    </div>
  );
}

/** A level for each interval; a gap where nothing was measured. */
function pathOf(network: readonly TimelineNetwork[]): string {
  return network
    .flatMap(({ end_ms, inbound, start_ms }, index) => {
      if (inbound.mos === null) return [];
      const before = network[index - 1];
      const isJoined = before !== undefined && before.inbound.mos !== null;
      const level = (MOS_MAX - inbound.mos).toFixed(2);
      return [`${isJoined ? 'L' : 'M'}${Math.max(0, start_ms)} ${level}`, `L${end_ms} ${level}`];
    })
    .join('');
}

/** The highest loss of an interval, in percent. */
function worstLoss(network: readonly TimelineNetwork[]): number {
  const shares = network.map(({ inbound: { lost, packets } }) => (lost ?? 0) / Math.max(1, packets + (lost ?? 0)));
  return Math.round(1_000 * Math.max(0, ...shares)) / 10;
}
