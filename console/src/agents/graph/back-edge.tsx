import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import { NODE_WIDTH_PX } from './graph-layout.ts';

/** Space between the edge and the states, and between two back edges to one state. */
const GAP_PX = 22;

/** `nth`: of the back edges to one state. */
type DrawnEdge = Edge<{ readonly nth: number }, 'back'>;

/** A transition to a state above goes around the states on their left, so that it crosses no edge that leads down. Its label is above its end. */
export function BackEdge({ data, label, markerEnd, sourceX, sourceY, targetX, targetY }: EdgeProps<DrawnEdge>) {
  const away = GAP_PX * (1 + (data?.nth ?? 0));
  const left = Math.min(sourceX, targetX) - NODE_WIDTH_PX / 2 - away;
  const top = targetY - away;
  const path = `M${sourceX} ${sourceY} v${away} H${left} V${top} H${targetX} V${targetY}`;
  return (
    <BaseEdge
      path={path}
      label={label}
      labelX={(left + targetX) / 2}
      labelY={top}
      {...(markerEnd !== undefined && { markerEnd })}
    />
  );
}
