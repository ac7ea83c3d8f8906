import { type GraphPlace, NODE_HEIGHT_PX, NODE_WIDTH_PX } from './graph-layout.ts';

/** Space between a state and an edge beside it, and between an edge and its label. */
const GAP_PX = 22;
const LABEL_GAP_PX = 8;
/** Widest character of a label, about. */
const CHARACTER_PX = 6;
const LABEL_HEIGHT_PX = 24;

/** Where an edge goes down beside the states between its ends, and the middle of its label. */
export interface Passage extends Record<string, unknown> {
  readonly railX: number;
  readonly labelX: number;
  readonly labelY: number;
  /** Right edge of the label. */
  readonly endX: number;
}

interface PassingTransition {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** The passage of each downward transition that would cross a state on its straight way. */
export function passagesOf<Transition extends PassingTransition>(
  places: ReadonlyMap<string, GraphPlace>,
  transitions: readonly Transition[],
): ReadonlyMap<Transition, Passage> {
  const passages = new Map<Transition, Passage>();
  for (const transition of transitions) {
    const between = statesBetween(places, transition);
    const crossed = between.filter((place) => isCrossed(place, places, transition));
    if (crossed.length === 0) continue;
    const nth = passages.size;
    const widthPx = LABEL_GAP_PX + transition.label.length * CHARACTER_PX;
    const railX = freeX(rightOf(crossed), widthPx, between) + nth * LABEL_GAP_PX;
    const middleY =
      (Math.min(...crossed.map(({ y }) => y)) + Math.max(...crossed.map(({ y }) => y)) + NODE_HEIGHT_PX) / 2;
    passages.set(transition, {
      railX,
      labelX: railX + LABEL_GAP_PX + widthPx / 2,
      labelY: middleY + nth * LABEL_HEIGHT_PX,
      endX: railX + LABEL_GAP_PX + widthPx,
    });
  }
  return passages;
}

/** How far labels reach beyond the right edge of all states. */
export function overhangPx(places: ReadonlyMap<string, GraphPlace>, passages: Iterable<Passage>): number {
  const ends = [...passages].map(({ endX }) => endX);
  return ends.length === 0 ? 0 : Math.max(0, Math.max(...ends) - rightOf([...places.values()]) + GAP_PX);
}

function statesBetween(
  places: ReadonlyMap<string, GraphPlace>,
  { from, to }: PassingTransition,
): readonly GraphPlace[] {
  const [top, bottom] = [bottomOf(places.get(from)), places.get(to)?.y ?? 0];
  return [...places]
    .filter(([name, { y }]) => name !== from && name !== to && y + NODE_HEIGHT_PX > top && y < bottom)
    .map(([, place]) => place);
}

function isCrossed(
  place: GraphPlace,
  places: ReadonlyMap<string, GraphPlace>,
  { from, to }: PassingTransition,
): boolean {
  const [source, target] = [places.get(from), places.get(to)];
  if (source === undefined || target === undefined) return false;
  const top = bottomOf(source);
  const share = (place.y + NODE_HEIGHT_PX / 2 - top) / (target.y - top);
  const x = source.x + (target.x - source.x) * share + NODE_WIDTH_PX / 2;
  return x > place.x - GAP_PX && x < place.x + NODE_WIDTH_PX + GAP_PX;
}

/** The first place from `x` on where an edge and its label fit between the states. */
function freeX(x: number, widthPx: number, between: readonly GraphPlace[]): number {
  const railX = x + GAP_PX;
  const inTheWay = between.filter((place) => place.x < railX + widthPx && place.x + NODE_WIDTH_PX > railX);
  return inTheWay.length === 0 ? railX : freeX(rightOf(inTheWay), widthPx, between);
}

function rightOf(places: readonly GraphPlace[]): number {
  return Math.max(...places.map(({ x }) => x + NODE_WIDTH_PX));
}

function bottomOf(place: GraphPlace | undefined): number {
  return (place?.y ?? 0) + NODE_HEIGHT_PX;
}
