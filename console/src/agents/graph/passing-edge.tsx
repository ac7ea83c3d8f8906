import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import type { Passage } from './passages.ts';

/** Space between a state and the corners of the edge. */
const GAP_PX = 12;

type DrawnEdge = Edge<Passage, 'passing'>;

/** A transition that would cross a state goes down on the right of it. Its label is beside it, where no state covers it. */
export function PassingEdge({ data, label, markerEnd, sourceX, sourceY, targetX, targetY }: EdgeProps<DrawnEdge>) {
  const { railX, labelX, labelY } = data ?? { railX: sourceX, labelX: sourceX, labelY: sourceY };
  const path = `M${sourceX} ${sourceY} v${GAP_PX} H${railX} V${targetY - GAP_PX} H${targetX} V${targetY}`;
  return (
    <BaseEdge
      path={path}
      label={label}
      labelX={labelX}
      labelY={labelY}
      {...(markerEnd !== undefined && { markerEnd })}
    />
  );
}
