import type { DocumentPath } from './document-edit.ts';

const STEP = /\[(\d+)\]|([^.[\]]+)/g;

/** The path of a field as the service writes it: `states[2].tools[0].url`. */
export function fieldPath(field: string): DocumentPath {
  return [...field.matchAll(STEP)].map(([step, index]) => (index === undefined ? step : Number(index)));
}

/** The index of the state that has a field; null: it is not part of a state. */
export function stateIndexOf(field: string): number | null {
  const [list, index] = fieldPath(field);
  return list === 'states' && typeof index === 'number' ? index : null;
}
