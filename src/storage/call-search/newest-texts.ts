import { columnDriver, type Driver, EVERY_CALL } from './driver.ts';

/** The newest calls of the list, whose texts are checked. */
export function newestTexts(checked: Driver['checked']): Driver {
  const every = columnDriver(EVERY_CALL);
  return {
    isDirect: false,
    checked,
    reachUs: (stretch) => {
      const { checkedMax, readMax } = stretch.bounds;
      return every.reachUs({ ...stretch, bounds: { ...stretch.bounds, readMax: Math.min(readMax, checkedMax) } });
    },
    find: (stretch, others, limit) => every.find(stretch, [...others, ...(checked === null ? [] : [checked])], limit),
  };
}
