/** The part of a scrolled axis that is visible. */
interface VisibleAxis {
  readonly scrolledPx: number;
  readonly visiblePx: number;
}

/** Place of the playhead after a scroll, as a share of the visible part: most of it shows what comes next. */
const PLAYHEAD_SHARE = 0.2;
/** Distance from the right edge at which the axis scrolls on. */
const EDGE_PX = 24;

/** Where to scroll so that a playhead is visible, in px; null: it is. */
export function scrollWith(playheadPx: number, { scrolledPx, visiblePx }: VisibleAxis): number | null {
  const isVisible = playheadPx >= scrolledPx && playheadPx <= scrolledPx + Math.max(0, visiblePx - EDGE_PX);
  return isVisible ? null : Math.max(0, Math.round(playheadPx - PLAYHEAD_SHARE * visiblePx));
}
