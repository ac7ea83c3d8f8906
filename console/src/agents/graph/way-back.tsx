import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import { NODE_WIDTH_PX } from './graph-layout.ts';

/** Space between the way and the states, and between two ways to one state. */
const GAP_PX = 22;

/** `nth`: of the ways back to one state. */
export type WayBackEdge = Edge<{ readonly nth: number }, 'wayBack'>;

/** A transition to a state above goes around the states on their left, so that it crosses no way down. Its label is above its end. */
export function WayBack({ data, label, markerEnd, sourceX, sourceY, targetX, targetY }: EdgeProps<WayBackEdge>) {
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
