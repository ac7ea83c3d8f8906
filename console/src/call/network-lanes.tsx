import { decimal } from '../format/decimal.ts';
import type { CallTimeline, TimelineNetwork } from '../generated/client.ts';
import { useLanguage } from '../i18n/language.tsx';
import { levelsPath, lossPercent, type NetworkLevel } from './network-levels.ts';

/** Range of the mean opinion score (ITU-T G.107). */
const MOS_MIN = 1;
const MOS_MAX = 4.5;
/** A loss or jitter that is drawn at full height at least: small ones stay small. */
const LOSS_SHOWN_PERCENT = 10;
const JITTER_SHOWN_MS = 60;

interface NetworkLanesProps {
  readonly network: CallTimeline['network'];
  readonly lengthMs: number;
}

/** The quality of the user's audio over time: score, loss and jitter. Higher is better for the score, and worse for the others. */
export function NetworkLanes({ network, lengthMs }: NetworkLanesProps) {
  const { language, messages } = useLanguage();
  const {
    call: text,
    common: { pair },
  } = messages;
  const shown = (value: number) => decimal(value, 1, language);
  const levels = (levelOf: (inbound: TimelineNetwork['inbound']) => number | null): readonly NetworkLevel[] =>
    network.map(({ end_ms: endMs, inbound, start_ms: startMs }) => ({ startMs, endMs, level: levelOf(inbound) }));
  return (
    <>
      <Lane
        name="MOS"
        label={(values) => pair(text.networkIn, `MOS ≥ ${shown(Math.min(...values))}`)}
        levels={levels(({ mos }) => mos)}
        least={MOS_MIN}
        most={MOS_MAX}
        lengthMs={lengthMs}
      />
      <Lane
        name={text.loss}
        label={(values) => pair(text.networkIn, `${text.loss} ≤ ${shown(Math.max(...values))} %`)}
        levels={levels(lossPercent)}
        least={0}
        most={LOSS_SHOWN_PERCENT}
        lengthMs={lengthMs}
      />
      <Lane
        name={text.jitter}
        label={(values) => pair(text.networkIn, `${text.jitter} ≤ ${shown(Math.max(...values))} ms`)}
        levels={levels(({ jitter_ms: jitterMs }) => jitterMs)}
        least={0}
        most={JITTER_SHOWN_MS}
        lengthMs={lengthMs}
      />
    </>
  );
}

interface LaneProps {
  readonly name: string;
  readonly label: (values: readonly number[]) => string;
  readonly levels: readonly NetworkLevel[];
  readonly least: number;
  /** Drawn at full height, unless a level is higher. */
  readonly most: number;
  readonly lengthMs: number;
}

function Lane({ label, least, lengthMs, levels, most, name }: LaneProps) {
  const values = levels.flatMap(({ level }) => (level === null ? [] : [level]));
  if (values.length === 0) return null;
  const top = Math.max(most, ...values);
  const title = label(values);
  return (
    <div className="lane" title={title}>
      <span className="lane-name">{name}</span>
      <svg
        className="network"
        viewBox={`0 0 ${lengthMs} ${top - least}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={title}
      >
        <path d={levelsPath(levels, top)} vectorEffect="non-scaling-stroke" />
      </svg>
    </div>
  );
}
